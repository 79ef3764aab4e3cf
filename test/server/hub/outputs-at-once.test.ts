import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, textOf } from '../../../src/entries/index.ts'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { runs } from '../../depth.ts'

const step = fc.oneof(
  fc.constant({ type: 'begin' as const }),
  fc.record({ type: fc.constant('ask' as const), by: fc.nat(2) }),
  fc.record({ type: fc.constant('end' as const), by: fc.nat(2) }),
  fc.record({
    type: fc.constant('answer' as const),
    question: fc.nat(3),
    /** The person answers at a server without the programs. The server with them reads the answer later. */
    isLate: fc.boolean(),
    meanwhile: fc.constantFrom('nothing', 'begin', 'end', 'end asker'),
  }),
  fc.constant({ type: 'read late answers' as const }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Process {
  readonly output: ReadableStreamDefaultController<unknown>
  readonly done: Promise<unknown>
}

class Gate {
  open = (): void => {}
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve
  })
}

/** A session with any number of processes at once. */
class Session {
  readonly #log = createMemoryLog()
  readonly #web = createSessionHub({ log: this.#log })
  readonly #hub: SessionHub
  readonly #running: Process[] = []
  /** The questions that wait for an answer, with the processes that have asked. */
  readonly #open = new Map<string, Process>()
  readonly #late: string[] = []
  readonly #asker = new Map<string, Process>()
  readonly #sent = new Set<string>()
  #undelivered = 0
  #gate = new Gate()

  constructor() {
    const follow: SessionLog['follow'] = (...given) => this.#followLate(given)
    const log = new Proxy(this.#log, {
      get(target, name) {
        const value: unknown = name === 'follow' ? follow : Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const onIssue = () => {
      this.#undelivered += 1
    }
    this.#hub = createSessionHub({ log, onIssue })
    this.#hub.onReply('s', (reply) => {
      this.#sent.add(/"request_id":"(\w+)"/.exec(JSON.stringify(reply))?.[1] ?? '')
    })
  }

  async *#followLate(given: Parameters<SessionLog['follow']>) {
    for await (const logged of this.#log.follow(...given)) {
      await this.#gate.opened
      yield logged
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const each of [...steps, { type: 'read late answers' as const }]) {
      if (each.type === 'begin') this.#begin()
      else if (each.type === 'end') await this.#end(this.#running[each.by])?.done
      else if (each.type === 'ask') this.#ask(this.#running[each.by])
      else if (each.type === 'answer') await this.#answer(each)
      else await this.#readLate()
      await expect.poll(() => pendingIn(this.#hub), { interval: 1 }).toEqual([...this.#open.keys()].sort())
    }
    for (const process of [...this.#running]) await this.#end(process)?.done
    expect(await pendingIn(this.#hub)).toEqual([])
  }

  #begin(): void {
    let output: ReadableStreamDefaultController<unknown> | undefined
    const stream = new ReadableStream<unknown>({
      start(controller) {
        output = controller
      },
    })
    const done = this.#hub.pipe('s', stream, 'claude-sdk')
    output?.enqueue({ type: 'system', subtype: 'init', session_id: 'x', uuid: crypto.randomUUID() })
    if (output) this.#running.push({ output, done })
  }

  #end(process: Process | undefined): Process | undefined {
    if (!process) return undefined
    this.#running.splice(this.#running.indexOf(process), 1)
    for (const [id, asker] of this.#open) if (asker === process) this.#open.delete(id)
    process.output.close()
    return process
  }

  #ask(process: Process | undefined): void {
    if (!process) return
    const id = `r${this.#asker.size}`
    this.#asker.set(id, process)
    this.#open.set(id, process)
    process.output.enqueue(askOf(id))
  }

  async #answer({ question, isLate, meanwhile }: Extract<Step, { readonly type: 'answer' }>): Promise<void> {
    const [id, asker] = [...this.#open][question] ?? []
    if (id === undefined || !asker) return
    this.#open.delete(id)
    const answered = (isLate ? this.#web : this.#hub).answer('s', id, 'allow')
    if (meanwhile === 'begin') this.#begin()
    const other = this.#running.find((process) => process !== asker)
    if (meanwhile === 'end') await this.#end(other)?.done
    if (meanwhile === 'end asker') this.#end(asker)
    const isTaken = await answered.then(
      () => true,
      () => false,
    )
    expect(isTaken || meanwhile === 'end asker').toBe(true)
    if (isTaken && isLate) this.#late.push(id)
    else expect([this.#sent.has(id), (await this.#answered()).includes(id)]).toEqual([isTaken, isTaken])
  }

  /** An answer reaches its process, or else is that of nobody. */
  async #readLate(): Promise<void> {
    const late = this.#late.splice(0)
    const [reached, lost] = [true, false].map((isRunning) =>
      late.filter((id) => this.#running.some((process) => process === this.#asker.get(id)) === isRunning),
    )
    const before = this.#undelivered
    this.#gate.open()
    await expect.poll(() => this.#undelivered - before, { interval: 1 }).toBe(lost?.length)
    await expect.poll(() => reached?.every((id) => this.#sent.has(id)), { interval: 1 }).toBe(true)
    this.#gate = new Gate()
    const answered = await this.#answered()
    expect(lost?.filter((id) => this.#sent.has(id) || answered.includes(id))).toEqual([])
  }

  async #answered(): Promise<readonly string[]> {
    const { blocks = [] } = (await this.#hub.state('s')) ?? {}
    return blocks.flatMap((block) => (block.type === 'request' && block.answer !== undefined ? block.id : []))
  }
}

async function pendingIn(hub: SessionHub): Promise<readonly string[]> {
  const state = await hub.state('s')
  return state
    ? pendingRequests(state)
        .map(({ block }) => block.id)
        .sort()
    : []
}

function askOf(id: string): unknown {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } }
  return { type: 'control_request', request_id: id, request }
}

function says(id: string, text: string) {
  const message = { id, role: 'assistant', type: 'message', model: 'm', content: [{ type: 'text', text }] }
  return { type: 'assistant', session_id: 'x', uuid: `u${id}`, message }
}

async function* endless(...messages: readonly unknown[]) {
  yield* messages
  await new Promise(() => {})
}

// Any other output that began or ended meanwhile made an answer get lost, and the end of one withdrew the requests of all.
it('an answer reaches the process that has asked, whatever other ones begin and end', async () => {
  const law = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => new Session().run(steps))
  const begin = { type: 'begin' } as const
  const answer = { type: 'answer', question: 0, isLate: false, meanwhile: 'nothing' } as const
  const ask = { type: 'ask', by: 0 } as const
  const end = { type: 'end', by: 0 } as const
  const examples: [Step[]][] = [
    [[begin, ask, { ...answer, meanwhile: 'begin' }]],
    [[begin, begin, ask, { ...answer, meanwhile: 'end' }]],
    [[begin, begin, ask, { type: 'ask', by: 1 }, end, answer]],
    [[begin, ask, { ...answer, isLate: true }, end, begin, ask]],
    [[begin, begin, ask, { ...answer, isLate: true }, end]],
  ]
  await fc.assert(law, { numRuns: runs(1000), examples })
})

// Its exit code came after the next process had asked.
it('an output whose failure comes late ends nothing of the next process', async () => {
  const hub = createSessionHub()
  const exit = new Gate()
  const failure = exit.opened.then(() => 'exit code 1')
  const ended = hub.pipe('s', [askOf('r1')], { architecture: 'claude-sdk', failure })
  await expect.poll(() => pendingIn(hub)).toEqual(['r1'])
  void hub.pipe('s', endless(askOf('r2')), 'claude-sdk')
  await expect.poll(() => pendingIn(hub)).toEqual(['r2'])
  exit.open()
  expect(await ended).toMatchObject({ failure: 'exit code 1' })
  expect([await pendingIn(hub), (await hub.state('s'))?.turn.status]).toEqual([['r2'], 'running'])
})

it('a silent output removes no request that another one has asked again meanwhile', async () => {
  const log = createMemoryLog()
  const killed = createSessionHub({ log })
  void killed.pipe('s', endless(askOf('r1')), 'claude-sdk')
  await expect.poll(() => pendingIn(killed)).toEqual(['r1'])
  const hub = createSessionHub({ log })
  const mayTalk = new Gate()
  async function* silent() {
    await mayTalk.opened
    yield* [{ type: 'system', subtype: 'status', status: 'compacting' }, askOf('r2')]
    await new Promise(() => {})
  }
  void hub.pipe('s', silent(), 'claude-sdk')
  await expect.poll(() => pendingIn(hub)).toEqual([])
  void hub.pipe('s', endless(askOf('r1')), 'claude-sdk')
  await expect.poll(() => pendingIn(hub)).toEqual(['r1'])
  mayTalk.open()
  await expect.poll(() => pendingIn(hub)).toEqual(['r1', 'r2'])
})

// The next process got the answer: its first piece had no events, and so took the number of an earlier one.
it.each([
  ['{"type":"sys'],
  ['\n'],
  [{ type: 'system', subtype: 'init', session_id: 'x', uuid: 'u1' }],
  [{ type: 'system', subtype: 'init', session_id: 'x', uuid: 'u1' }, says('m1', 'Hi')],
])(
  'an answer to a dead process reaches no next one that begins with %j, and is shown nowhere',
  async (first, ...words) => {
    const log = createMemoryLog()
    const web = createSessionHub({ log })
    const read = new Gate()
    const all = log.follow.bind(log)
    const follow: SessionLog['follow'] = async function* (...given) {
      for await (const logged of all(...given)) {
        if (logged.event.type === 'block:upsert') await read.opened
        yield logged
      }
    }
    const issues: string[] = []
    const replies: unknown[] = []
    const onIssue = (_: string, { code }: { readonly code: string }) => void issues.push(code)
    const hub = createSessionHub({ log: Object.assign(log, { follow }), onIssue })
    hub.onReply('s', (reply) => void replies.push(reply))
    const exit = new Gate()
    const failure = exit.opened.then(() => undefined)
    const dead = new Gate()
    async function* dying() {
      yield* [{ type: 'system', subtype: 'init', session_id: 'x', uuid: 'u0' }, askOf('r1')]
      await dead.opened
    }
    void hub.pipe('s', dying(), { architecture: 'claude-sdk', failure })
    await expect.poll(() => pendingIn(hub)).toEqual(['r1'])
    await web.answer('s', 'r1', 'allow')
    dead.open()
    const began = new Gate()
    async function* next() {
      yield* [first, ...words]
      began.open()
      await new Promise(() => {})
    }
    await new Promise(setImmediate)
    void hub.pipe('s', next(), 'claude-sdk')
    await began.opened
    const texts = async () => (await hub.state('s'))?.blocks.filter(({ type }) => type === 'assistant_text')
    await expect.poll(async () => (await texts())?.length).toBe(words.length)
    read.open()
    await expect.poll(() => [issues, replies]).toEqual([['not-delivered'], []])
    expect((await hub.state('s'))?.blocks[0]).not.toHaveProperty('answer')
  },
)

// The turn of the first one stayed without its last words.
it('an output that is replaced while its failure is open keeps its last line', async () => {
  const hub = createSessionHub()
  const exit = new Gate()
  const failure = exit.opened.then(() => undefined)
  const lines = [says('m1', 'one'), says('m2', 'two')].map((line) => JSON.stringify(line)).join('\n')
  const ended = hub.pipe('s', [lines], { architecture: 'claude-sdk', failure })
  await expect.poll(async () => (await hub.state('s'))?.blocks.length).toBeGreaterThan(0)
  void hub.pipe('s', endless(), 'claude-sdk')
  exit.open()
  await ended
  expect((await hub.state('s'))?.blocks.map((block) => textOf(block))).toEqual(['one', 'two'])
})
