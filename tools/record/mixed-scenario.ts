import { random } from '../../test/random.ts'
import { type BadEnd, endedBadly, promptOf } from './bad-end.ts'
import { toolCall, withRichRuns } from './rich.ts'
import { roughCall, withRoughWords } from './rough.ts'
import {
  MILLISECONDS_BEFORE_QUEUED,
  PICTURE_FILE,
  type Reply,
  type Scenario,
  type ScriptedAgent,
  type ScriptedCall,
  type Step,
} from './script.ts'
import { agent, agentCall, asked, awaiting, command, main, read, replied, scenario } from './steps.ts'

const NAME = /^(mixed|rough|rich)-(\d+)$/

/**
 * Returns the scenario with the name `mixed-<seed>`: a session in which one thing follows another as the seed says. `rough-<seed>` has further things
 * that real sessions have: odd words, long outputs, mistakes of the model, and a turn that ends badly before the next one. `rich-<seed>` has pictures, tools
 * of a server, and turns with another model. Undefined for another name.
 */
export function mixedScenario(name: string, cannot: Readonly<Record<string, string>>): Scenario | undefined {
  const [, kind, seed] = NAME.exec(name) ?? []
  return seed === undefined ? undefined : new Mixer(name, Number(seed), cannot, kind).scenario()
}

/** Returns the scenario with a prompt that the person sends during the first request of the turn before. */
function withQueue({ agents, runs, ...rest }: Scenario, at: number): Scenario {
  const before = runs[at - 1]?.prompt
  return {
    ...rest,
    runs: runs.map((run, place) => (place === at ? { ...run, isQueued: true } : run)),
    agents: agents.map((each) => {
      const { steps } = each
      const first = 1 + steps.findIndex((step) => 'prompt' in step && step.prompt === before)
      const waits = (step: Step): Step =>
        'reply' in step ? { reply: { ...step.reply, waits: 2 * MILLISECONDS_BEFORE_QUEUED } } : step
      const isMain = each.parent === null
      return isMain
        ? { ...each, steps: steps.map((step, place) => (place === first ? waits(step) : step)) }
        : each
    }),
  }
}

/** Some programs refuse agents below this depth. */
const DEEPEST = 2

/** Makes a scenario of the things that a program can do. All texts differ. */
class Mixer {
  readonly #name: string
  readonly #seed: number
  readonly #isRough: boolean
  readonly #isRich: boolean
  readonly #cannot: Readonly<Record<string, string>>
  readonly #random: () => number
  readonly #agents: ScriptedAgent[] = []
  readonly #parents = new Map<string, string>()
  #count = 0
  #hasEdited = false
  readonly #pictures: ScriptedCall[] = [{ does: 'look', path: PICTURE_FILE }]
  /** The files that nobody has read: some programs show a file once. */
  readonly #unread = [read('notes.md', 'second line'), read('README.md', 'A tiny project.')]

  constructor(name: string, seed: number, cannot: Readonly<Record<string, string>>, kind = 'mixed') {
    this.#name = name
    this.#seed = seed
    this.#isRough = kind === 'rough'
    this.#isRich = kind === 'rich'
    this.#cannot = cannot
    this.#random = random(seed)
  }

  scenario(): Scenario {
    const prompts = Array.from({ length: this.#can('resume') ? this.#upTo(3) : 1 }, () =>
      this.#words('Do what number', 'person'),
    )
    const turns = prompts.map((prompt) => [asked(prompt), ...this.#turn('main')])
    const bad = this.#isRough ? this.#badEnd(prompts.length) : this.#stop(prompts.length - 1)
    const mixed = bad
      ? endedBadly(this.#name, turns, this.#agents, bad)
      : scenario(this.#name, [main(...turns.flat()), ...this.#agents], prompts)
    const isQueued = this.#isRough && !bad && prompts.length > 1 && this.#can('queue')
    if (this.#isRich) return withRichRuns(mixed, (what) => this.#can(what), this.#random)
    return isQueued ? withQueue(mixed, this.#upTo(prompts.length - 1)) : mixed
  }

  #can(name: string): boolean {
    return this.#cannot[name] === undefined
  }

  #happens(chance: number): boolean {
    return this.#random() < chance
  }

  #upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }

  #words(beginning: string, of: 'person' | 'model' = 'model'): string {
    this.#count += 1
    const words = `${beginning} ${this.#count} of seed ${this.#seed} says.`
    if (!this.#isRough || !this.#happens(0.3)) return words
    return withRoughWords(words, this.#can('odd-characters') ? of : 'person', this.#random())
  }

  #stop(at: number): BadEnd | undefined {
    if (this.#happens(0.1) && this.#can('interruption')) return { at, by: 'interrupt' }
    return this.#happens(0.1) && this.#can('kill') ? { at, by: 'kill' } : undefined
  }

  /** Returns the end of a turn of a rough session, after which the next one may come. */
  #badEnd(turns: number): BadEnd | undefined {
    const at = this.#upTo(turns) - 1
    const chance = this.#random()
    const inAgent = () =>
      this.#can('agent') && this.#can('stopped-agent') && this.#happens(0.5)
        ? { agent: this.#agent('main') }
        : {}
    if (chance < 0.3 && this.#can('interruption')) return { at, by: 'interrupt', ...inAgent() }
    if (chance < 0.5 && this.#can('kill'))
      return { at: this.#can('kill-resume') ? at : turns - 1, by: 'kill', ...inAgent() }
    if (chance < 0.6) return { at, by: 'refusal' }
    return chance < 0.7 && this.#can('thought') ? { at, by: 'thought' } : undefined
  }

  /** Returns the answers to a prompt. The last one has no calls. */
  #turn(key: string): readonly Step[] {
    const steps: Step[] = []
    for (let rest = this.#upTo(3); rest > 1; rest -= 1) steps.push(...this.#failures(), ...this.#work(key))
    return [...steps, ...this.#failures(), replied(this.#text())]
  }

  /** Returns a request that fails before the next one. After a cut connection, some programs end the turn. */
  #failures(): readonly Step[] {
    if (this.#happens(0.08) && this.#can('retry')) return [replied({ status: 500 })]
    return []
  }

  #text(): Reply {
    const say = this.#words('The answer that')
    return this.#happens(0.3) ? { think: this.#words('A thought that'), say } : { say }
  }

  /** Returns a reply with calls, and the wait for its agents. */
  #work(key: string): readonly Step[] {
    if (!this.#hasEdited && this.#happens(0.15)) return this.#edit()
    if (key === 'main' && this.#can('agent') && this.#can('background') && this.#happens(0.15))
      return this.#background()
    const agents = this.#agentsOf(key)
    const others = agents.length > 0 && this.#happens(0.5) ? [] : [this.#call(), ...this.#furtherCalls()]
    const calls = [...others, ...agents.map((each) => agentCall(each.key, promptOf(each)))]
    const text = this.#happens(0.7) ? this.#text() : {}
    const reply = replied({ ...text, calls })
    return agents.length === 0 ? [reply] : [reply, awaiting(...agents.map((each) => each.key))]
  }

  /** Returns the start of an agent in the background, and what the model says until it reports. */
  #background(): readonly Step[] {
    const started = this.#agent('main')
    const call = agentCall(started.key, promptOf(started), true)
    return [
      replied({ ...this.#text(), calls: [call] }),
      { awaits: [started.key], say: this.#words('A word while') },
    ]
  }

  #furtherCalls(): readonly ScriptedCall[] {
    return Array.from({ length: this.#upTo(3) - 1 }, () => this.#call())
  }

  #call(): ScriptedCall {
    this.#count += 1
    const word = `word-${this.#count}`
    if (this.#isRough && this.#happens(0.35)) return roughCall(word, this.#random())
    if (this.#isRich && this.#happens(0.6)) return this.#richCall()
    const chance = this.#random()
    if (chance < 0.4) return command(`echo ${word}`, word)
    if (chance < 0.55) return { ...command(`echo ${word}; exit 3`, word), fails: 'exit' }
    const unread = chance < 0.75 ? this.#unread.pop() : undefined
    if (unread) return unread
    return { does: 'write', path: `src/${word}.js`, content: `${word}\nsecond\n` }
  }

  #richCall(): ScriptedCall {
    const picture = this.#can('look') && this.#happens(0.3) ? this.#pictures.pop() : undefined
    return picture ?? toolCall(this.#random())
  }

  /** Returns an edit of a file that the model has read before: some programs refuse any other. */
  #edit(): readonly Step[] {
    this.#hasEdited = true
    return [
      replied({ calls: [read('src/add.js', 'a + b')] }),
      replied({ calls: [{ does: 'edit', path: 'src/add.js', from: 'a + b', to: 'b + a' }] }),
    ]
  }

  #agentsOf(key: string): readonly ScriptedAgent[] {
    const isMain = key === 'main'
    if (this.#isRough && this.#depthOf(key) >= DEEPEST) return []
    if (!this.#can('agent') || !(isMain ? this.#happens(0.5) : this.#can('nested') && this.#happens(0.2)))
      return []
    return Array.from({ length: this.#can('parallel') ? this.#upTo(3) : 1 }, () => this.#agent(key))
  }

  #depthOf(key: string): number {
    const parent = this.#parents.get(key)
    return parent === undefined ? 0 : 1 + this.#depthOf(parent)
  }

  #agent(parent: string): ScriptedAgent {
    this.#count += 1
    const key = `A${this.#count}`
    this.#parents.set(key, parent)
    const prompt = asked(this.#words('Look for what', 'person'))
    const fails = this.#can('failure') && this.#happens(0.15)
    const work = this.#turn(key)
    const report = replied({ say: this.#words(`REPORT-${key}: what`) })
    const steps = fails ? [...work.slice(0, -1), replied({ status: 400 })] : [...work.slice(0, -1), report]
    const made: ScriptedAgent = {
      ...agent(key, parent, prompt, ...steps),
      status: fails ? 'error' : 'success',
    }
    this.#agents.push(made)
    return made
  }
}
