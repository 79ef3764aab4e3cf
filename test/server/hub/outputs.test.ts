import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, type SessionEvent, sessionStatus } from '../../../src/entries/index.ts'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { depth, sampleOf } from '../../depth.ts'
import { inputs } from '../../wires/inputs.ts'

const FILE = 'fixtures/claude-code/03-tools/stream.ndjson'
const TEXT = readFileSync(FILE, 'utf8')

/** A log that answers when it is released. */
function slowLog() {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const log = createMemoryLog()
  const load = log.loadSnapshot.bind(log)
  const loadSnapshot: SessionLog['loadSnapshot'] = (id) => released.then(() => load(id))
  return { log: Object.assign(log, { loadSnapshot }), release }
}

async function statusOf(hub: SessionHub): Promise<string | undefined> {
  const state = await hub.state('s')
  return state && sessionStatus(state)
}

describe('an output', () => {
  // Node drops the output of a process that ends before anybody reads it: the session stayed empty, without an issue.
  it('of a program that ends before the log answers is whole', async () => {
    const { log, release } = slowLog()
    const hub = createSessionHub({ log })
    const child = spawn('cat', [FILE])
    const piped = hub.pipe('s', child.stdout)
    await once(child, 'exit')
    release()
    expect(await piped).toMatchObject({ ending: 'finished', issues: [] })
    expect(await statusOf(hub)).toBe('finished')
  })

  it('is read from the tick of the call on, by one piece until the log answers', async () => {
    const { log, release } = slowLog()
    let taken = 0
    const pieces = function* () {
      for (const piece of TEXT.split(/(?<=\n)/)) {
        taken += 1
        yield piece
      }
    }
    const hub = createSessionHub({ log })
    const piped = hub.pipe('s', pieces())
    expect(taken).toBe(1)
    const stream = new Response(TEXT).body
    if (!stream) throw new TypeError('a response with a text has a body')
    const other = hub.pipe('other', stream)
    expect(stream.locked).toBe(true)
    await new Promise(setImmediate)
    expect(taken).toBe(1)
    release()
    expect([(await piped).ending, (await other).ending]).toEqual(['finished', 'finished'])
  })

  it.each([
    ['a list', () => [TEXT]],
    ['a stream of Node', () => createReadStream(FILE)],
    ['a stream of the web', () => new Response(TEXT).body ?? []],
  ])('that is refused is whole for the next call: %s', async (_, open) => {
    const hub = createSessionHub()
    const output = open()
    const refused = Reflect.apply(hub.pipe, undefined, ['s', output, 'claude'])
    await expect(refused).rejects.toThrow('unknown architecture')
    expect(output instanceof ReadableStream && output.locked).toBe(false)
    expect(await hub.pipe('s', output)).toMatchObject({ ending: 'finished', issues: [] })
  })
})

const INIT = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  tools: ['Bash'],
  model: 'm',
  cwd: '/',
  apiKeySource: 'none',
  uuid: 'u',
}
const SAYS = {
  type: 'assistant',
  session_id: 's',
  uuid: 'u1',
  message: {
    id: 'm1',
    role: 'assistant',
    type: 'message',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
  },
}
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Hi',
  session_id: 's',
  uuid: 'u2',
}

async function* unended(...messages: readonly unknown[]) {
  yield* messages
  await new Promise(() => {})
}

const BEGIN: readonly SessionEvent[] = [
  { type: 'session:running' },
  { type: 'subagent:spawned', toolUseId: 'a', prompt: 'Look.' },
]

/** The messages of a program that asks, and stops when `release` is called. */
function asking(id: string) {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: `call_${id}` }
  const output = async function* () {
    yield INIT
    yield { type: 'control_request', request_id: id, request }
    await released
  }
  return { output: output(), release }
}

describe('the end of an output', () => {
  // The request of the program that lived on was complete, and its session interrupted while it waited.
  it.each([undefined, 'it was killed'])('ends nothing of another one (failure: %s)', async (words) => {
    const hub = createSessionHub()
    const waiting = async () => {
      const state = await hub.state('s')
      return state && [sessionStatus(state), ...pendingRequests(state).map(({ block }) => block.id)]
    }
    const [one, two] = [asking('one'), asking('two')]
    const first = hub.pipe('s', one.output, { failure: Promise.resolve(words) })
    await expect.poll(waiting).toEqual(['waiting', 'one'])
    const second = hub.pipe('s', two.output)
    await expect.poll(waiting).toEqual(['waiting', 'one', 'two'])
    one.release()
    expect((await first).failure).toBe(words)
    expect(await waiting()).toEqual(['waiting', 'two'])
    two.release()
    expect((await second).ending).toBe('interrupted')
    expect(await waiting()).toEqual(['interrupted'])
  })

  // A restart finished what had failed, and a dead program had finished because its newest text was whole.
  it.each([
    { words: undefined, result: [], ended: 'interrupted' },
    { words: 'it was killed', result: [], ended: 'failed' },
    { words: 'it was killed', result: [RESULT], ended: 'finished' },
  ])('stays what it was after a restart: $ended ($words)', async ({ words, result, ended }) => {
    const log = createMemoryLog()
    const failure = Promise.resolve(words)
    await createSessionHub({ log }).pipe('s', [INIT, SAYS, ...result], { failure })
    expect(await statusOf(createSessionHub({ log }))).toBe(ended)
    const hub = createSessionHub({ log })
    await hub.pipe('s', [])
    expect(await statusOf(hub)).toBe(ended)
  })

  // A program that died of a prompt left `finished` without a word.
  it('is a failure if a prompt has got no answer', async () => {
    const hub = createSessionHub()
    let die = (): void => {}
    const death = new Promise<void>((resolve) => {
      die = resolve
    })
    async function* dying() {
      yield* [INIT, SAYS, RESULT]
      await death
    }
    const ended = hub.pipe('s', dying(), { failure: Promise.resolve('it was killed') })
    await expect.poll(() => statusOf(hub)).toBe('finished')
    hub.onPrompt('s', () => {})
    await hub.prompt('s', 'Go on.')
    die()
    await ended
    expect((await hub.state('s'))?.turn).toMatchObject({ status: 'failed', error: 'it was killed' })
  })

  it('is an interruption if a dead program was in its turn', async () => {
    const log = createMemoryLog()
    void createSessionHub({ log }).pipe('s', unended(INIT, SAYS))
    const hub = createSessionHub({ log })
    await expect.poll(async () => (await hub.state('s'))?.blocks.length).toBe(1)
    expect([(await hub.pipe('s', [])).ending, await statusOf(hub)]).toEqual(['interrupted', 'interrupted'])
  })

  // Beside a process that had only begun, the session ran for ever.
  it('stands if no other one works', async () => {
    const hub = createSessionHub()
    let die = (): void => {}
    const death = new Promise<void>((resolve) => {
      die = resolve
    })
    async function* working() {
      yield* [INIT, SAYS]
      await death
    }
    const ended = hub.pipe('s', working(), { failure: Promise.resolve('it was killed') })
    await expect.poll(async () => (await hub.state('s'))?.blocks.length).toBe(1)
    let speak = (): void => {}
    const spoken = new Promise<void>((resolve) => {
      speak = resolve
    })
    async function* next() {
      yield { ...INIT, uuid: 'u9', model: 'other' }
      await spoken
      yield* unended({ ...SAYS, uuid: 'u8', message: { ...SAYS.message, id: 'm2' } })
    }
    void hub.pipe('s', next())
    await expect.poll(async () => (await hub.state('s'))?.session.model).toBe('other')
    die()
    await ended
    expect((await hub.state('s'))?.turn).toMatchObject({ status: 'failed', error: 'it was killed' })
    speak()
    await expect.poll(() => statusOf(hub)).toBe('running')
  })

  it('with a failure ends the agents of a host too', async () => {
    const hub = createSessionHub()
    await hub.publish('s', BEGIN)
    await hub.pipe('s', [], { failure: Promise.resolve('it was killed') })
    const { turn, subagents } = (await hub.state('s')) ?? {}
    expect([turn, subagents?.map(({ status }) => status)]).toEqual([
      { status: 'failed', error: 'it was killed', openBlocks: [] },
      ['error'],
    ])
  })
})

// A host that was killed left its own agent running for ever.
describe.each(inputs.filter((_, at) => at % depth({ few: 40, all: 4 }) === 0))(
  'the events of $name without their program',
  ({ source, messages }) => {
    it('end with the output of their program, wherever it is killed', async () => {
      const { events } = source.read(source.open(), messages)
      const own = events.map(withoutProgram)
      for (const [at] of sampleOf([...own.entries()], depth({ few: 12, all: 60 }))) {
        const hub = createSessionHub()
        await hub.publish('s', { events: own.slice(0, at + 1) })
        const { ending } = await hub.pipe('s', [])
        const state = await hub.state('s')
        if (!state) throw new TypeError('the session has events')
        const { turn, subagents } = state
        expect(['running', 'waiting', 'background']).not.toContain(sessionStatus(state))
        expect(subagents.filter(isPending)).toEqual([])
        expect(pendingRequests(state)).toEqual([])
        expect([state, ...subagents].flatMap(({ blocks }) => blocks).filter(isPending)).toEqual([])
        expect(ending === 'interrupted').toBe(turn.openBlocks !== undefined)
      }
    })
  },
)

function isPending({ status }: { readonly status?: string }): boolean {
  return status === 'running' || status === 'pending'
}

function withoutProgram(event: SessionEvent): SessionEvent {
  if (event.type !== 'session:updated') return event
  const { program: _, protocol: _protocol, ...facts } = event.facts
  return { ...event, facts }
}

it('a permission takes no labels', async () => {
  const hub = createSessionHub()
  void hub.pipe('s', unended(INIT, { type: 'control_request', request_id: 'r', request: PERMISSION }))
  await expect.poll(() => statusOf(hub)).toBe('waiting')
  hub.onReply('s', () => {})
  await expect(hub.answer('s', 'r', [['allow']])).rejects.toMatchObject({ code: 'wrong-answer' })
  expect(await statusOf(hub)).toBe('waiting')
})

const PERMISSION = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } }
