import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { createMemoryLog, runSessionWorker, type SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { createRedisLog, type RedisConnection } from '../../../src/entries/redis.ts'
import { restore } from '../../../src/entries/sync.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from '../log/faults/redis-server.ts'
import { open, text } from './readers.ts'
import { Page } from './wire.ts'

const stateOf = (...events: readonly SessionEvent[]) =>
  reduceSessionEvents(createInitialConversationState(), events)
const before = [text(0), text(1)]
const after = [text(2), text(3), text(4)]

/** Returns the log of a process that is killed at its call number `at` that writes: either before the log has it, or after. */
function killedAt(log: SessionLog, at: number, isDone: boolean): SessionLog {
  let calls = 0
  const killed = new Set<string | symbol>(['append', 'saveSnapshot', 'delete'])
  return new Proxy(log, {
    get: (target, name) => {
      const method = Reflect.get(target, name).bind(target)
      if (!killed.has(name)) return method
      return async (...call: readonly unknown[]) => {
        calls += 1
        if (calls < at) return method(...call)
        if (calls === at && isDone) await method(...call)
        throw new Error('killed')
      }
    },
  })
}

/** Returns the state that a new server shows. */
async function stateIn(log: SessionLog) {
  const reader = await open(createSessionHub({ log }), 's')
  const [, data = ''] = /^data: (.*)$/m.exec(await reader.read()) ?? []
  await reader.cancel()
  return restore(JSON.parse(data)).state
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'agentfold-hub-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

afterEach(() => {
  vi.useRealTimers()
})

let redis: RedisServer | undefined
let client: RedisConnection | undefined
afterAll(async () => {
  client?.destroy()
  await redis?.stop()
})

/** Returns a log in a Redis of this test, with keys of its own. */
async function redisLog(): Promise<SessionLog> {
  redis ??= await startRedis()
  client ??= await connectTo(redis.url)
  return createRedisLog(client, { prefix: crypto.randomUUID() })
}

// The session was deleted before its new events were appended, so a server that was killed in between had lost it.
it.each([
  ['memory', async () => createMemoryLog()],
  ['files', async () => createFileLog(await folder())],
  ...(skipReason ? [] : [['Redis', redisLog] as const]),
] as const)(
  'has the old session or the new one in %s, wherever the server is killed while it starts over',
  async (_, make) => {
    const seen = new Set<string>()
    for (const isDone of [false, true])
      for (let at = 1; at < 8; at += 1) {
        const log = await make()
        onTestFinished(() => log.close())
        await createSessionHub({ log }).publish('s', before)
        const page = await open(createSessionHub({ log }), 's')
        const call = createSessionHub({ log: killedAt(log, at, isDone) }).publish('s', {
          startsOver: true,
          events: after,
        })
        const isKilled = await call.then(
          () => false,
          () => true,
        )
        const state = await stateIn(log)
        expect([stateOf(...before), stateOf(...after)]).toContainEqual(state)
        seen.add(`${isKilled} ${state.blocks.length}`)
        // The next server follows the file again, and a worker folds what is there.
        const next = createSessionHub({ log })
        await next.publish('s', { startsOver: true, events: after })
        await next.publish('s', [text(5)])
        expect(await stateIn(log)).toEqual(stateOf(...after, text(5)))
        expect(await worked(log)).toEqual(stateOf(...after, text(5)))
        await page.cancel()
      }
    expect([...seen].sort()).toEqual(['false 3', 'true 2', 'true 3'])
  },
)

/** Returns the last state of a worker that has all events. */
async function worked(log: SessionLog) {
  const stop = new AbortController()
  let last = createInitialConversationState()
  await runSessionWorker(log, {
    owner: crypto.randomUUID(),
    sessions: ['s'],
    leaseMs: 1000,
    signal: stop.signal,
    onState: ({ state }) => {
      last = state
      stop.abort()
    },
  })
  return last
}

// Pages and workers of other processes had a moment in which the session was gone.
it('gives the new session to pages of every server and to a worker, whenever they look', async () => {
  vi.useFakeTimers()
  const log = createMemoryLog()
  const [hub, other] = [createSessionHub({ log }), createSessionHub({ log })]
  await hub.publish('s', before)
  const pages = [new Page(() => hub), new Page(() => other)]
  const stop = new AbortController()
  let worker = createInitialConversationState()
  const working = runSessionWorker(log, {
    owner: 'w',
    sessions: ['s'],
    leaseMs: 300,
    signal: stop.signal,
    snapshotEvery: 1,
    onState: ({ state }) => {
      worker = state
    },
  })
  await vi.advanceTimersByTimeAsync(1000)
  for (let round = 0; round < 20; round += 1) {
    const events = [text(100 + round), text(200 + round)]
    const starting = hub.publish('s', { startsOver: true, events })
    pages.push(new Page(() => other))
    for (let tick = 0; tick < round; tick += 1) await Promise.resolve()
    pages.push(new Page(() => other))
    await starting
    if (round % 2 > 0) await hub.publish('s', [text(300)])
    await vi.advanceTimersByTimeAsync(2000)
    const expected = round % 2 > 0 ? stateOf(...events, text(300)) : stateOf(...events)
    for (const page of pages) expect(page.state).toEqual(expected)
    for (const page of pages) expect(page.connection.status).toBe('live')
    expect(worker).toEqual(expected)
  }
  for (const page of pages) page.connection.close()
  stop.abort()
  await vi.advanceTimersByTimeAsync(1000)
  await working
  expect(await stateIn(log)).toEqual(worker)
})

it('starts over as often as it likes without more events in the log', async () => {
  const log = createMemoryLog()
  const hub = createSessionHub({ log })
  for (let round = 0; round < 50; round += 1) await hub.publish('s', { startsOver: true, events: after })
  const saved = await log.loadSnapshot('s')
  let events = 0
  for await (const _ of log.read('s', saved?.seq ?? 0)) events += 1
  expect(events).toBe(1)
})

// The readers of a session without an event waited for ever.
it.each([
  ['nobody has written', async () => {}],
  [
    'has a name and no event',
    async (hub: ReturnType<typeof createSessionHub>) => void (await hub.publish('s', [])),
  ],
  ['has events', async (hub: ReturnType<typeof createSessionHub>) => void (await hub.publish('s', before))],
])('ends the readers of a deleted session that %s', async (_, write) => {
  const hub = createSessionHub()
  await write(hub)
  const readers = [await open(hub, 's'), await open(hub, 's')]
  for (const reader of readers) await reader.read()
  const waiting = readers[0]?.read()
  await hub.delete('s')
  expect(await waiting).toMatch(/^event: end/)
  expect(await readers[1]?.read()).toMatch(/^event: end/)
  for (const reader of readers) expect(await reader.read()).toBe('')
  const late = await open(hub, 's')
  expect(await late.read()).toMatch(/^event: snapshot/)
  await late.cancel()
})
