import { random } from '../../test/random.ts'
import type { Reply, Scenario, ScriptedAgent, ScriptedCall, Step } from './script.ts'
import { agent, agentCall, asked, awaiting, command, main, read, replied, scenario } from './steps.ts'

const NAME = /^mixed-(\d+)$/

const LONG =
  'This answer stops in its middle, after some of its words, because nobody waits for the rest of them any longer.'

/** Returns the scenario with the name `mixed-<seed>`: a session in which one thing follows another as the seed says. Undefined for another name. */
export function mixedScenario(name: string, cannot: Readonly<Record<string, string>>): Scenario | undefined {
  const seed = NAME.exec(name)?.[1]
  return seed === undefined ? undefined : new Mixer(Number(seed), cannot).scenario()
}

/** Makes a scenario of the things that a program can do. All texts differ. */
class Mixer {
  readonly #seed: number
  readonly #cannot: Readonly<Record<string, string>>
  readonly #random: () => number
  readonly #agents: ScriptedAgent[] = []
  #count = 0
  #hasEdited = false
  /** The files that nobody has read: some programs show a file once. */
  readonly #unread = [read('notes.md', 'second line'), read('README.md', 'A tiny project.')]

  constructor(seed: number, cannot: Readonly<Record<string, string>>) {
    this.#seed = seed
    this.#cannot = cannot
    this.#random = random(seed)
  }

  scenario(): Scenario {
    const prompts = Array.from({ length: this.#can('resume') ? this.#upTo(3) : 1 }, () =>
      this.#words('Do what number'),
    )
    const steps = prompts.flatMap((prompt) => [asked(prompt), ...this.#turn('main')])
    const stop = this.#stop()
    const mixed = scenario(`mixed-${this.#seed}`, [main(...steps), ...this.#agents], prompts)
    return stop ? stopped(mixed, stop) : mixed
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

  #words(beginning: string): string {
    this.#count += 1
    return `${beginning} ${this.#count} of seed ${this.#seed} says.`
  }

  #stop(): 'interrupt' | 'kill' | undefined {
    if (this.#happens(0.1) && this.#can('interruption')) return 'interrupt'
    return this.#happens(0.1) && this.#can('kill') ? 'kill' : undefined
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
    const chance = this.#random()
    if (chance < 0.4) return command(`echo ${word}`, word)
    if (chance < 0.55) return { ...command(`echo ${word}; exit 3`, word), fails: 'exit' }
    const unread = chance < 0.75 ? this.#unread.pop() : undefined
    if (unread) return unread
    return { does: 'write', path: `src/${word}.js`, content: `${word}\nsecond\n` }
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
    if (!this.#can('agent') || !(isMain ? this.#happens(0.5) : this.#can('nested') && this.#happens(0.2)))
      return []
    return Array.from({ length: this.#can('parallel') ? this.#upTo(3) : 1 }, () => this.#agent(key))
  }

  #agent(parent: string): ScriptedAgent {
    this.#count += 1
    const key = `A${this.#count}`
    const prompt = asked(this.#words('Look for what'))
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

function promptOf({ steps: [first] }: ScriptedAgent): string {
  return first && 'prompt' in first ? first.prompt : ''
}

/** Stops the last process in the middle of its last answer. */
function stopped(mixed: Scenario, stop: 'interrupt' | 'kill'): Scenario {
  const ending = stop === 'kill' ? 'running' : 'interrupted'
  const agents = mixed.agents.map((each) =>
    each.parent === null
      ? {
          ...each,
          status: ending,
          steps: [
            ...each.steps.slice(0, -1),
            replied({ say: LONG, stops: { afterWords: 12, by: 'silence' } }),
          ],
        }
      : each,
  ) satisfies readonly ScriptedAgent[]
  const runs = mixed.runs.map((run, at) => (at === mixed.runs.length - 1 ? { ...run, stop } : run))
  return { ...mixed, agents, runs, ending }
}
