import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSessionHub, HubError, type SessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests } from '../../../src/entries/index.ts'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { runs } from '../../depth.ts'

/** A step while a process runs. The page of an answer may show a question of an earlier process. */
const step = fc.oneof(
  fc.record({
    type: fc.constant('ask' as const),
    isCall: fc.boolean(),
    words: fc.constantFrom('Show?', 'Delete?'),
  }),
  fc.record({ type: fc.constant('answer' as const), shown: fc.nat(4), isSlow: fc.boolean() }),
  ...(['say', 'call', 'endCalls', 'failSlow'] as const).map((type) => fc.record({ type: fc.constant(type) })),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
type StepOf<Type> = Extract<Step, { readonly type: Type }>

/** A process. A server that is killed leaves an output without an end. */
const process = fc.record({
  isResumed: fc.boolean(),
  steps: fc.array(step, { maxLength: 7 }),
  end: fc.constantFrom('end', 'empty output', 'killed'),
})
type Process = typeof process extends fc.Arbitrary<infer Value> ? Value : never

interface Call {
  readonly turn: string
  readonly callId: string | undefined
}

/** A question of a program. Each process counts its requests and its calls anew. */
interface Question extends Call {
  readonly id: number
  readonly words: string
}

/** A session with its processes, one after the other, and a page that forgets no question. */
class Session {
  readonly #wire: 'acp' | 'codex'
  readonly #log = createMemoryLog()
  #hub: SessionHub
  #turn = ''
  /** The calls of the running process, with a question or without. */
  #calls = 0
  /** All questions so far, by the ids with which a page answers them. */
  readonly #shown = new Map<string, Question>()
  /** The ids of the questions for which the running process waits. */
  #open = new Set<string>()
  readonly #sent: unknown[] = []
  #isSlow = false
  /** The answers that no listener has taken yet, and what makes each listener fail. */
  readonly #answers: Promise<unknown>[] = []
  readonly #fails: (() => void)[] = []

  constructor(wire: 'acp' | 'codex') {
    this.#wire = wire
    this.#hub = this.#serve()
  }

  #serve(): SessionHub {
    // A server that is killed writes nothing any more.
    const log = new Proxy(this.#log, {
      get: (target, name) => {
        if (name === 'append' && hub !== this.#hub) return () => new Promise(() => {})
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const hub: SessionHub = createSessionHub({ log })
    hub.onReply('s', (reply) => {
      if (hub !== this.#hub) return undefined
      this.#sent.push('id' in reply ? reply.id : reply)
      if (!this.#isSlow) return undefined
      return new Promise<void>((_, reject) => this.#fails.push(() => reject(new Error('gone'))))
    })
    return hub
  }

  async run(turn: string, { isResumed, steps, end }: Process): Promise<void> {
    const { start } = MESSAGES[this.#wire]
    const take = this.#take.bind(this)
    this.#turn = turn
    this.#calls = 0
    await new Promise<void>((resolve, reject) => {
      async function* output() {
        try {
          yield* start(turn, isResumed)
          for (const each of steps) yield* take(each)
        } catch (error) {
          // A pipe takes it for the end of the output.
          reject(error)
        }
        if (end !== 'killed') return
        resolve()
        await new Promise(() => {})
      }
      void this.#hub.pipe('s', output(), this.#wire).then(() => resolve(), reject)
    })
    this.#open = new Set()
    if (end === 'killed') {
      this.#hub = this.#serve()
      for (const ended of [this.#fails, this.#answers]) ended.length = 0
    }
    if (end === 'empty output') await this.#hub.pipe('s', [], this.#wire)
  }

  async *#take(each: Step): AsyncGenerator<unknown, void> {
    const { say, startCall, endCall } = MESSAGES[this.#wire]
    const own = [...this.#shown].filter(([, { turn }]) => turn === this.#turn)
    if (each.type === 'ask') yield* this.#ask(own.length, each)
    else if (each.type === 'answer') await this.#answer(each)
    else if (each.type === 'say') yield* say(this.#turn)
    else if (each.type === 'call') {
      const call = { turn: this.#turn, callId: this.#nextCall() }
      yield* [startCall(call), endCall(call)]
    } else if (each.type === 'failSlow') await this.failSlow()
    else
      for (const [block, question] of own)
        if (question.callId !== undefined && !this.#open.has(block)) yield endCall(question)
    expect(new Set(await this.#pending())).toEqual(this.#open)
  }

  /** The page shows the question, with an id that no other question had. */
  async *#ask(id: number, { words, isCall }: StepOf<'ask'>): AsyncGenerator<unknown, void> {
    const question = { turn: this.#turn, id, words, callId: isCall ? this.#nextCall() : undefined }
    const { startCall, ask } = MESSAGES[this.#wire]
    yield* isCall ? [startCall(question), ask(question)] : [ask(question)]
    const [block = '', ...others] = (await this.#pending()).filter((each) => !this.#open.has(each))
    expect([block === '' || this.#shown.has(block), others]).toEqual([false, []])
    this.#shown.set(block, question)
    this.#open.add(block)
  }

  #nextCall(): string {
    this.#calls += 1
    return `call_${this.#calls}`
  }

  async #answer({ shown, isSlow }: StepOf<'answer'>): Promise<void> {
    const [block, question] = [...this.#shown].at(-1 - shown) ?? []
    if (block === undefined || !question) return
    const { length } = this.#sent
    const isOpen = this.#open.delete(block)
    this.#isSlow = isSlow && isOpen
    const answered = this.#hub.answer('s', block, { denied: true })
    if (!isOpen) await expect(answered).rejects.toBeInstanceOf(HubError)
    else if (!isSlow) await answered
    else {
      this.#answers.push(answered.catch(() => {}))
      await expect.poll(() => this.#fails.length, { interval: 1 }).toBe(this.#answers.length)
    }
    expect(this.#sent.slice(length)).toEqual(isOpen ? [question.id] : [])
  }

  /** No listener takes the slow answers. A question of the running process may wait again. */
  async failSlow(): Promise<void> {
    for (const fail of this.#fails.splice(0)) fail()
    await Promise.all(this.#answers.splice(0))
    for (const block of await this.#pending()) {
      expect(this.#shown.get(block)?.turn).toBe(this.#turn)
      this.#open.add(block)
    }
  }

  async #pending(): Promise<readonly string[]> {
    return pendingIn(this.#hub)
  }
}

// The program waited for ever: no page showed the request, because the call of an earlier process had ended.
const REUSED_CALL: Process[] = (['Show?', 'Delete?'] as const).map((words) => ({
  isResumed: true,
  steps: [
    { type: 'ask', isCall: true, words },
    { type: 'answer', shown: 0, isSlow: false },
    { type: 'endCalls' },
  ],
  end: 'end',
}))

// A page that showed "Show the log?" of a dead process allowed "Delete the database?" of the next one.
it.each(['acp', 'codex'] as const)(
  'an answer reaches the question that it was given for: %s',
  async (wire) => {
    const law = fc.asyncProperty(fc.array(process, { minLength: 2, maxLength: 4 }), async (processes) => {
      const session = new Session(wire)
      for (const [at, each] of processes.entries()) await session.run(`turn_${at}`, each)
      await session.failSlow()
    })
    await fc.assert(law, { numRuns: runs(400), examples: [[REUSED_CALL]] })
  },
)

// The new process was sent the answer to the dead one: both count their requests from 0.
it.each(['while the log takes it', 'before its listener fails'])(
  'an answer to a dead process is that of nobody if another one begins %s',
  async (when) => {
    const log = createMemoryLog()
    const outputOf = async function* (turn: string) {
      yield* MESSAGES.codex.start(turn, false)
      yield MESSAGES.codex.ask({ turn, id: 0, callId: undefined, words: turn })
      await new Promise(() => {})
    }
    const killed = createSessionHub({ log })
    void killed.pipe('s', outputOf('old'), 'codex')
    await expect.poll(() => pendingIn(killed)).toHaveLength(1)
    const [id = ''] = await pendingIn(killed)
    const begin = { isDue: when.includes('log'), count: 0 }
    const beginOnce = () => {
      if (!begin.isDue) return
      begin.isDue = false
      void hub.pipe('s', outputOf('new'), 'codex')
    }
    const append = log.append.bind(log)
    const taking: SessionLog['append'] = (...given) => {
      beginOnce()
      return append(...given)
    }
    const hub: SessionHub = createSessionHub({ log: Object.assign(log, { append: taking }) })
    hub.onReply('s', () => {
      begin.count += 1
      begin.isDue = begin.count === 1 && !when.includes('log')
      beginOnce()
      throw new Error('gone')
    })
    await expect(hub.answer('s', id, { denied: true })).rejects.toMatchObject({ code: 'not-delivered' })
    await expect.poll(() => pendingIn(hub)).toHaveLength(1)
    const { blocks = [] } = (await hub.state('s')) ?? {}
    expect(blocks.find((block) => block.id === id)).not.toHaveProperty('denied')
    expect([begin.count, (await pendingIn(hub)).includes(id)]).toEqual([when.includes('log') ? 0 : 1, false])
  },
)

async function pendingIn(hub: SessionHub): Promise<readonly string[]> {
  const state = await hub.state('s')
  return state ? pendingRequests(state).map(({ block }) => block.id) : []
}

/** The messages of a program. */
interface Messages {
  start(turn: string, isResumed: boolean): readonly unknown[]
  startCall(call: Call): unknown
  endCall(call: Call): unknown
  ask(question: Question): unknown
  say(turn: string): readonly unknown[]
}

const MESSAGES: Readonly<Record<'acp' | 'codex', Messages>> = {
  acp: {
    start: (_, isResumed) => [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } },
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1, agentCapabilities: {} } },
      ...(isResumed ? [] : [{ jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/' } }]),
      { jsonrpc: '2.0', id: 1, result: { sessionId: 's' } },
    ],
    startCall: ({ callId }) => acpUpdate({ ...acpCall(callId), sessionUpdate: 'tool_call' }),
    endCall: ({ callId }) =>
      acpUpdate({ ...acpCall(callId), sessionUpdate: 'tool_call_update', status: 'completed' }),
    ask: ({ id, callId, words }) => ({
      jsonrpc: '2.0',
      id,
      ...(callId === undefined
        ? { method: 'elicitation/create', params: { sessionId: 's', message: words, mode: 'form' } }
        : {
            method: 'session/request_permission',
            params: { sessionId: 's', toolCall: { toolCallId: callId, title: words }, options: NO },
          }),
    }),
    say: () => [acpUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi' } })],
  },
  codex: {
    start: (turn) => [
      { id: 0, result: { userAgent: 'codex' } },
      {
        method: 'turn/started',
        params: { threadId: 't', turn: { id: turn, status: 'inProgress', items: [] } },
      },
    ],
    startCall: ({ turn, callId = '' }) => codexItem('started', turn, callId),
    endCall: ({ turn, callId = '' }) => codexItem('completed', turn, callId),
    ask: ({ turn, id, callId, words }) =>
      callId === undefined
        ? {
            id,
            method: 'mcpServer/elicitation/request',
            params: { threadId: 't', serverName: 'mcp', message: words },
          }
        : {
            id,
            method: 'item/commandExecution/requestApproval',
            params: { threadId: 't', turnId: turn, itemId: callId, command: words },
          },
    say: (turn) => [
      {
        method: 'item/agentMessage/delta',
        params: { threadId: 't', turnId: turn, itemId: `text of ${turn}`, delta: 'Hi' },
      },
    ],
  },
}

const NO = [{ optionId: 'no', name: 'Reject', kind: 'reject_once' }]

function acpUpdate(update: object): unknown {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } }
}

function acpCall(toolCallId: string | undefined) {
  return { toolCallId, title: 'Run', kind: 'execute', status: 'pending' }
}

function codexItem(name: 'started' | 'completed', turnId: string, id: string): unknown {
  const status = name === 'started' ? 'inProgress' : 'completed'
  const item = { type: 'commandExecution', id, command: 'ls', cwd: '/', status }
  return { method: `item/${name}`, params: { threadId: 't', turnId, item } }
}
