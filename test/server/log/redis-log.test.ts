import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { LoggedEvent, SessionLog } from '../../../src/entries/log.ts'
import { createRedisLog, type RedisConnection, type RedisLogOptions } from '../../../src/entries/redis.ts'
import { snapshot } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'
import { startProxy, type TcpProxy } from './faults/proxy.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'

const event: SessionEvent = { type: 'session:running' }
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, event }))

const saved = snapshot({ epoch: 's', seq: 1, state: fold(event) })

/** The numbers of a session in Redis, and the calls that need them. */
const USERS = {
  seq: ['append', 'read', 'follow', 'saveSnapshot', 'loadSnapshot'],
  dropped: ['append', 'read', 'follow', 'saveSnapshot', 'loadSnapshot'],
  snapshotSeq: ['saveSnapshot', 'loadSnapshot'],
  generation: ['append', 'saveSnapshot', 'acquire', 'release'],
  expiresAt: ['acquire'],
  leaseMs: ['acquire'],
} as const

describe.skipIf(skipReason)(`a log in Redis ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let client: RedisConnection
  let proxy: TcpProxy | undefined
  const logs: SessionLog[] = []
  const clients: RedisConnection[] = []
  beforeAll(async () => {
    server = await startRedis()
    client = await connectTo(server.url)
  })
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close()
    for (const each of clients.splice(0)) if (each.isOpen) each.destroy()
    await proxy?.close()
    proxy = undefined
    // A test counts the connections, and the server closes those of the last test a little later.
    await expect.poll(connections).toBe(1)
    await command('FLUSHALL')
  })
  afterAll(async () => {
    client?.destroy()
    await server?.stop()
  })

  function command(...args: readonly string[]): Promise<unknown> {
    return client.sendCommand(args)
  }

  function open(by: RedisConnection = client, options?: RedisLogOptions): SessionLog {
    const log = createRedisLog(by, options)
    logs.push(log)
    return log
  }

  async function connect(...args: Parameters<typeof connectTo>): Promise<RedisConnection> {
    const connected = await connectTo(...args)
    clients.push(connected)
    return connected
  }

  async function connections(): Promise<number> {
    return String(await command('CLIENT', 'LIST'))
      .trim()
      .split('\n').length
  }

  it('reads more events than one reply has, and none that came later', async () => {
    const log = open()
    await log.append('s', Array(500).fill(event), { expectedSeq: 0 })
    const read = log.read('s', 0)[Symbol.asyncIterator]()
    await read.next()
    await log.append('s', [event], { expectedSeq: 500 })
    let last = 0
    for (let next = await read.next(); !next.done; next = await read.next()) last = next.value.seq
    expect(last).toBe(500)
    expect(await readAll(log, 's', 350)).toEqual(numbered(351, 501))
    expect(await collect(log.follow('s', 0), 501)).toEqual(numbered(1, 501))
  })

  it('ends a reply after a megabyte, so that long events fill no memory', async () => {
    const long: SessionEvent = { type: 'session:idle', error: 'x'.repeat(300_000) }
    await open().append('s', Array(20).fill(long), { expectedSeq: 0 })
    const lengths: number[] = []
    const counting: RedisConnection = {
      ...methodsOf(client),
      sendCommand: async (...args) => {
        const reply = await client.sendCommand(...args)
        lengths.push(JSON.stringify(reply).length)
        return reply
      },
    }
    const read = await readAll(open(counting), 's')
    expect(read.map(({ seq }) => seq)).toEqual(numbered(1, 20).map(({ seq }) => seq))
    expect(Math.max(...lengths)).toBeLessThan(8 * 310_000)
  })

  it('keeps no lease for longer than its time, if the clock of the server went back', async () => {
    const log = open()
    await log.acquire('s', 'a', { leaseMs: 200 })
    // The lease was made an hour later.
    await command('HSET', 'agentfold:{s}:meta', 'expiresAt', String(Date.now() + 3_600_000))
    expect(await log.acquire('s', 'b', { leaseMs: 1000 })).toBeNull()
    await expect.poll(() => log.acquire('s', 'b', { leaseMs: 1000 })).toBeGreaterThan(1)
  })

  it('has no snapshot of other events than it has', async () => {
    const log = open()
    await log.append('s', [event, event], { expectedSeq: 0 })
    const place = snapshot({ epoch: 's', seq: 2, state: fold(event) })
    await log.saveSnapshot('s', place)
    expect(await log.loadSnapshot('s')).toEqual(place)
    // As if another program had copied the key.
    await command('HSET', 'agentfold:{s}:meta', 'snapshotDigest', '0123456789abcdef')
    expect(await log.loadSnapshot('s')).toBeNull()
    await log.saveSnapshot('s', place, { trim: true })
    expect(await log.loadSnapshot('s')).toEqual(place)
    await command('HSET', 'agentfold:{s}:meta', 'snapshotDigest', '0123456789abcdef')
    expect(await log.loadSnapshot('s')).toBeNull()
  })

  it('reads events that were written before it had digests', async () => {
    await command('HSET', 'agentfold:{s}:meta', 'seq', '1', 'snapshotSeq', '1')
    await command(
      'XADD',
      'agentfold:{s}:events',
      '1-0',
      'event',
      JSON.stringify(event),
      'time',
      '1764190000000000',
    )
    const place = snapshot({ epoch: 's', seq: 1, state: fold(event) })
    await command('SET', 'agentfold:{s}:snapshot', JSON.stringify(place))
    const log = open()
    expect(await log.loadSnapshot('s')).toEqual(place)
    expect(await log.append('s', [event], { expectedSeq: 1 })).toBe(2)
    expect(await readAll(log, 's')).toEqual(numbered(1, 2))
    expect(await collect(log.follow('s', 1), 1)).toEqual(numbered(2, 2))
  })

  it('refuses to go on reading events that were dropped meanwhile', async () => {
    const log = open()
    await log.append('s', Array(500).fill(event), { expectedSeq: 0 })
    const read = log.read('s', 0)[Symbol.asyncIterator]()
    await read.next()
    await log.saveSnapshot('s', snapshot({ epoch: 's', seq: 400, state: fold(event) }), { trim: true })
    const rest = async () => {
      while (!(await read.next()).done);
    }
    await expect(rest()).rejects.toMatchObject({ code: 'trimmed', expected: 400, actual: 200 })
  })

  it('has one further connection for all followers, and none when they have ended', async () => {
    const before = await connections()
    const log = open()
    const stop = new AbortController()
    const seen = ['a', 'b', 'c', 'a'].map((id) => collect(log.follow(id, 0, stop), 2))
    await expect.poll(connections).toBe(before + 1)
    for (const id of ['a', 'b', 'c']) await log.append(id, [event], { expectedSeq: 0 })
    for (const id of ['c', 'b', 'a']) await log.append(id, [event], { expectedSeq: 1 })
    for (const events of await Promise.all(seen)) expect(events).toEqual(numbered(1, 2))
    await expect.poll(connections).toBe(before)
    const ended = collect(log.follow('a', 2, stop), 1)
    await expect.poll(connections).toBe(before + 1)
    stop.abort()
    expect(await ended).toEqual([])
    await expect.poll(connections).toBe(before)
    const closed = collect(log.follow('a', 2), 1)
    await expect.poll(connections).toBe(before + 1)
    await log.close()
    expect(await closed).toEqual([])
    await expect.poll(connections).toBe(before)
    await expect(collect(log.follow('a', 2), 1)).rejects.toMatchObject({ code: 'closed' })
  })

  it('wakes a new follower at once, while the connection waits for other sessions', async () => {
    const log = open(client, { blockMs: 60_000 })
    const stop = new AbortController()
    const first = collect(log.follow('a', 0, stop), 1)
    await pause(50)
    const second = collect(log.follow('b', 0, stop), 1)
    await pause(50)
    await log.append('b', [event], { expectedSeq: 0 })
    expect(await second).toEqual(numbered(1, 1))
    stop.abort()
    expect(await first).toEqual([])
  })

  it.each([2, 3] as const)('follows with RESP %i, over many blocks', async (RESP) => {
    const log = open(await connect(server.url, { RESP }), { blockMs: 20 })
    const seen = collect(log.follow('s', 0), 6)
    for (let seq = 0; seq < 6; seq += 1) {
      await pause(30)
      await log.append('s', [event], { expectedSeq: seq })
    }
    expect(await seen).toEqual(numbered(1, 6))
  })

  it('follows through a restart of the server, which keeps events, snapshot and lease', async () => {
    const log = open()
    const generation = (await log.acquire('s', 'a', { leaseMs: 60_000 })) ?? 0
    await log.append('s', [event, event], { expectedSeq: 0, generation })
    const place = snapshot({ epoch: 's', seq: 2, state: fold(event) })
    await log.saveSnapshot('s', place, { generation, trim: true })
    const seen = collect(log.follow('s', 2), 2)
    await log.append('s', [event], { expectedSeq: 2, generation })
    await server.restart()
    expect(await retried(() => log.append('s', [event], { expectedSeq: 3, generation }))).toBe(4)
    expect(await seen).toEqual(numbered(3, 4))
    expect(await log.loadSnapshot('s')).toEqual(place)
    expect(await log.acquire('s', 'b', { leaseMs: 1 })).toBeNull()
  })

  it('follows through cut connections', async () => {
    proxy = await startProxy(server.port)
    const log = open(await connect(proxy.url), { blockMs: 20 })
    const seen = collect(log.follow('s', 0), 30)
    for (let seq = 0; seq < 30; seq += 1) {
      await open().append('s', [event], { expectedSeq: seq })
      if (seq % 10 === 5) proxy.cut()
      await pause(5)
    }
    expect(await seen).toEqual(numbered(1, 30))
    await expect.poll(connections).toBe(2)
  })

  it('leaves no connection open if its followers end while it connects', async () => {
    const before = await connections()
    const accepted = async () =>
      Number(/total_connections_received:(\d+)/.exec(String(await command('INFO')))?.[1])
    const stop = new AbortController()
    const start = await accepted()
    const own = client.duplicate()
    const duplicate = () => {
      // The client now waits for the socket.
      queueMicrotask(() => stop.abort())
      return own
    }
    expect(await collect(open({ ...methodsOf(client), duplicate }).follow('s', 0, stop), 1)).toEqual([])
    await expect.poll(accepted).toBe(start + 1)
    await expect.poll(connections).toBe(before)
  })

  it('waits for a follower that was busy while another one ended and the connection began', async () => {
    const before = await connections()
    const stop = new AbortController()
    const duplicate = () => {
      const own = client.duplicate()
      own.on('connect', () => stop.abort())
      return own
    }
    const log = open({ ...methodsOf(client), duplicate })
    await log.append('busy', [event], { expectedSeq: 0 })
    const busy = log.follow('busy', 0)[Symbol.asyncIterator]()
    await busy.next()
    expect(await collect(log.follow('s', 0, stop), 1)).toEqual([])
    await expect.poll(connections).toBe(before + 1)
    await pause(20)
    const next = busy.next()
    await log.append('busy', [event], { expectedSeq: 1 })
    expect(await next).toMatchObject({ done: false, value: { seq: 2, event } })
    await busy.return?.()
  })

  it('follows on after a connection that is open and does not answer', async () => {
    proxy = await startProxy(server.port)
    const log = open(await connect(server.url), { blockMs: 20 })
    // Only the connection of the followers goes through the proxy.
    const through = await connect(proxy.url)
    const mixed = open(
      {
        ...methodsOf(client),
        duplicate: () => through.duplicate(),
      },
      { blockMs: 20 },
    )
    const seen = collect(mixed.follow('s', 0), 2)
    await log.append('s', [event], { expectedSeq: 0 })
    await pause(50)
    proxy.hold()
    await log.append('s', [event], { expectedSeq: 1 })
    expect(await seen).toEqual(numbered(1, 2))
  })

  it('rejects if Redis fails, also while it follows', async () => {
    const own = await connect(server.url)
    const before = await connections()
    const log = open(own)
    const followed = collect(log.follow('s', 0), 1)
    // It waits on its own connection now.
    await expect.poll(connections).toBe(before + 1)
    own.destroy()
    await expect(log.append('s', [event], { expectedSeq: 0 })).rejects.toThrow('closed')
    await expect(collect(log.follow('t', 0), 1)).rejects.toThrow('closed')
    await log.close()
    expect(await followed).toEqual([])
    await command('SET', 'agentfold:{s}:meta', 'no hash')
    await expect(open().append('s', [event], { expectedSeq: 0 })).rejects.toThrow('WRONGTYPE')
    await expect(collect(open().follow('s', 0), 1)).rejects.toThrow('WRONGTYPE')
  })

  it('rejects all followers if Redis refuses the connection or its commands', async () => {
    await command('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '+@all', '-xread')
    const url = `redis://reader:secret@127.0.0.1:${server.port}`
    const log = open(await connect(url))
    const refused = [collect(log.follow('s', 0), 1), collect(log.follow('t', 0), 1)]
    for (const each of refused) await expect(each).rejects.toThrow('NOPERM')
    await command('ACL', 'SETUSER', 'reader', '+xread')
    const followed = collect(log.follow('s', 0), 1)
    await pause(30)
    await open().append('s', [event], { expectedSeq: 0 })
    expect(await followed).toEqual(numbered(1, 1))
    const noRetries = open(await connect(url, { socket: { reconnectStrategy: false } }))
    await command('ACL', 'SETUSER', 'reader', '>other', '<secret')
    await expect(collect(noRetries.follow('s', 1), 1)).rejects.toThrow('WRONGPASS')
  })

  it('ends a follower while Redis does not answer', async () => {
    proxy = await startProxy(server.port)
    const log = open(await connect(proxy.url))
    proxy.hold()
    const stop = new AbortController()
    const followed = collect(log.follow('s', 0, stop), 1)
    await pause(20)
    stop.abort()
    expect(await followed).toEqual([])
    expect(await collect(log.follow('s', 0, stop), 1)).toEqual([])
  })

  it('says that a session is damaged, and which key', async () => {
    const log = open()
    await log.append('s', [event, event, event], { expectedSeq: 0 })
    await command('XDEL', 'agentfold:{s}:events', '2-0')
    const broken = { code: 'broken', message: expect.stringContaining('event 2 is missing') }
    await expect(readAll(log, 's')).rejects.toMatchObject(broken)
    await command('DEL', 'agentfold:{s}:events')
    await expect(readAll(log, 's', 2)).rejects.toMatchObject({ code: 'broken' })
    await command('XADD', 'agentfold:{s}:events', '3-0', 'event', '{')
    await expect(readAll(log, 's', 2)).rejects.toMatchObject({ code: 'broken' })
    for (const text of ['{"seq":', '[]', '{"seq":-1}']) {
      await command('SET', 'agentfold:{s}:snapshot', text)
      await expect(log.loadSnapshot('s')).rejects.toMatchObject({ code: 'broken' })
    }
  })

  // Redis replied with the place in a script of the log where it could not compare a number with nil.
  it.each(['x', '', '-1', '1e9', 'nan', '0x2', '1.5.5', '9'.repeat(50)])(
    'says that a number of a session is damaged, and which one: %j',
    async (value) => {
      const log = open()
      await log.append('s', [event, event], { expectedSeq: 0 })
      await log.saveSnapshot('s', saved, { trim: true })
      await log.acquire('s', 'a', { leaseMs: 1000 })
      const calls = {
        append: () => log.append('s', [event], { expectedSeq: 2, generation: 1 }),
        read: () => readAll(log, 's', 1),
        follow: () => collect(log.follow('s', 1), 2),
        saveSnapshot: () => log.saveSnapshot('s', saved),
        loadSnapshot: () => log.loadSnapshot('s'),
        acquire: () => log.acquire('s', 'b', { leaseMs: 1000 }),
        release: () => log.release('s', 1),
      }
      for (const [field, users] of Object.entries(USERS)) {
        const good = String(await command('HGET', 'agentfold:{s}:meta', field))
        await command('HSET', 'agentfold:{s}:meta', field, value)
        const broken = { code: 'broken', message: `${field} is missing or damaged: agentfold:{s}:meta` }
        for (const user of users)
          await expect(calls[user](), `${user} ${field}`).rejects.toMatchObject(broken)
        await command('HSET', 'agentfold:{s}:meta', field, good)
      }
      await command('HSET', 'agentfold:{s}:meta', 'seq', value)
      await log.delete('s')
      expect(await log.append('s', [event], { expectedSeq: 0 })).toBe(1)
    },
  )

  it.each(['meta', 'events', 'snapshot'])(
    'says that the key %s has another type, and deletes it',
    async (key) => {
      const log = open()
      // A server that has just begun knows no script.
      await command('SCRIPT', 'FLUSH')
      const make =
        key === 'snapshot'
          ? ['HSET', 'agentfold:{s}:snapshot', 'a', 'b']
          : ['SET', `agentfold:{s}:${key}`, '1']
      await command(...make)
      const broken = { code: 'broken', message: expect.stringContaining(`agentfold:{s}:${key}`) }
      const call = key === 'snapshot' ? log.loadSnapshot('s') : log.append('s', [event], { expectedSeq: 0 })
      await expect(call).rejects.toMatchObject(broken)
      await log.delete('s')
      expect(await log.append('s', [event], { expectedSeq: 0 })).toBe(1)
    },
  )

  it('says that the digest is damaged, and not that the producer has lost events', async () => {
    const log = open()
    await log.append('s', [event, event], { expectedSeq: 0 })
    let digest = ''
    for await (const logged of log.read('s', 1)) digest = logged.digest ?? ''
    await command('HSET', 'agentfold:{s}:meta', 'digest', 'other')
    const append = log.append('s', [event], { expectedSeq: 2, digest })
    await expect(append).rejects.toMatchObject({ code: 'broken', message: expect.stringContaining('digest') })
  })

  it('takes a lease of any length', async () => {
    const log = open()
    for (const leaseMs of [0.4, 1e300]) {
      const generation = await log.acquire('s', 'a', { leaseMs })
      expect(await log.acquire('s', 'a', { leaseMs })).toBeGreaterThanOrEqual(generation ?? 0)
    }
    expect(await log.acquire('s', 'b', { leaseMs: 1 })).toBeNull()
  })

  it('reads up to an entry of another program', async () => {
    const log = open()
    await log.append('s', [event, event, event], { expectedSeq: 0 })
    await command('DEL', 'agentfold:{s}:events')
    await command('XADD', 'agentfold:{s}:events', '1-0', 'event', JSON.stringify(event))
    await command('XADD', 'agentfold:{s}:events', '2-0', 'other', '{')
    await expect(readAll(log, 's')).rejects.toMatchObject({ message: expect.stringContaining('event 2 is') })
  })

  it('lets Redis itself refuse an event whose number is there, even if the numbers of the log are lost', async () => {
    const log = open()
    await log.append('s', [event, event], { expectedSeq: 0 })
    await command('DEL', 'agentfold:{s}:meta')
    const append = log.append('s', [event, event], { expectedSeq: 0 })
    await expect(append).rejects.toMatchObject({
      code: 'broken',
      message: expect.stringContaining('equal or smaller'),
    })
    expect(await command('XLEN', 'agentfold:{s}:events')).toBe(2)
  })

  it('keeps sessions apart, and the keys of each session on one node of a cluster', async () => {
    const log = open(client, { prefix: 'p:' })
    const ids = ['}', '{}', '{a}b', '%7d', '\ud800', '\ud801', 'é', '%']
    for (const [at, id] of ids.entries()) {
      await log.append(id, Array(at + 1).fill(event), { expectedSeq: 0 })
      await log.saveSnapshot(id, snapshot({ epoch: id, seq: 1, state: fold(event) }))
    }
    for (const [at, id] of ids.entries()) expect(await readAll(log, id)).toHaveLength(at + 1)
    const keys = [(await command('KEYS', '*')) ?? []].flat().map(String)
    expect(keys).toHaveLength(ids.length * 3)
    const slots = await Promise.all(
      keys.map((key) => command('CLUSTER', 'KEYSLOT', key).catch(() => tagOf(key))),
    )
    expect(new Set(slots).size).toBe(ids.length)
  })

  it('refuses a wrong time to block', () => {
    for (const blockMs of [0, -1, 0.5, Number.NaN])
      expect(() => open(client, { blockMs })).toThrow(RangeError)
  })
})

function tagOf(key: string): string | undefined {
  return /\{([^}]+)\}/.exec(key)?.[1]
}

function methodsOf(client: RedisConnection): RedisConnection {
  return {
    get isOpen() {
      return client.isOpen
    },
    sendCommand: (args, options) => client.sendCommand(args, options),
    duplicate: () => client.duplicate(),
    connect: () => client.connect(),
    destroy: () => client.destroy(),
    on: (name, listener) => client.on(name, listener),
  }
}

async function readAll(log: SessionLog, id: string, afterSeq = 0): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const { seq, event } of log.read(id, afterSeq)) events.push({ seq, event })
  return events
}

async function collect(events: AsyncIterable<LoggedEvent>, count: number): Promise<readonly LoggedEvent[]> {
  const seen: LoggedEvent[] = []
  for await (const { seq, event } of events) if (seen.push({ seq, event }) >= count) break
  return seen
}

/** Calls again while the connection is lost. */
async function retried<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (tries === 200 || !(error instanceof Error) || 'code' in error) throw error
      await pause(20)
    }
  }
}
