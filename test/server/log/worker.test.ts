import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import {
  createMemoryLog,
  LogError,
  runSessionWorker,
  type SessionLog,
  type SessionWorkerOptions,
  type WorkerUpdate,
} from '../../../src/entries/log.ts'
import { restore, snapshot } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'

const texts = (count: number, from = 0): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'block:upsert',
    block: { id: `b${from + at}`, type: 'assistant_text', status: 'complete', content: `text ${from + at}` },
  }))

describe('a worker', () => {
  it('folds what is there and what comes, and saves the state at the end', async () => {
    const log = createMemoryLog()
    await log.append('s', texts(600), { expectedSeq: 0 })
    const worker = start(log, { sessions: ['s'] })
    await expect.poll(() => worker.updates.at(-1)?.seq).toBe(600)
    await log.append('s', texts(2, 600), { expectedSeq: 600 })
    await expect.poll(() => worker.updates.at(-1)).toMatchObject({ sessionId: 's', seq: 602, generation: 1 })
    await worker.stop()
    const { state, seq } = restore(await log.loadSnapshot('s'))
    expect({ state, seq }).toEqual({ state: fold(...texts(602)), seq: 602 })
    expect(worker.updates.at(-1)?.state).toEqual(state)
    // The lease is free.
    expect(await log.acquire('s', 'other', { leaseMs: 1000 })).toBe(2)
  })

  it('goes on from a snapshot and keeps its epoch, and drops events if it may', async () => {
    const log = createMemoryLog()
    await log.append('s', texts(10), { expectedSeq: 0 })
    await log.saveSnapshot('s', snapshot({ epoch: 'first', seq: 10, state: fold(...texts(10)) }), {
      trim: true,
    })
    const worker = start(log, { sessions: ['s'], snapshotEvery: 5, trim: true })
    await log.append('s', texts(7, 10), { expectedSeq: 10 })
    await expect.poll(() => worker.updates.at(-1)?.seq).toBe(17)
    await worker.stop()
    expect(await log.loadSnapshot('s')).toEqual(
      snapshot({ epoch: 'first', seq: 17, state: fold(...texts(17)) }),
    )
    await expect(log.read('s', 16)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'trimmed' })
  })

  it('gives a session that begins again another name, and takes the name that the log has', async () => {
    const log = createMemoryLog()
    const names: (string | undefined)[] = []
    for (const name of [undefined, undefined, 'of a hub']) {
      await log.delete('s')
      const worker = start(log, { sessions: ['s'] })
      await expect.poll(() => worker.updates.at(-1)?.seq).toBe(0)
      if (name) await log.saveSnapshot('s', snapshot({ epoch: name, seq: 0, state: fold() }))
      await log.append('s', texts(1), { expectedSeq: 0 })
      await expect.poll(() => worker.updates.at(-1)?.seq).toBe(1)
      await worker.stop()
      names.push((await log.loadSnapshot('s'))?.epoch)
    }
    expect(new Set(names).size).toBe(3)
    expect(names[2]).toBe('of a hub')
  })

  it('saves snapshots after events, and when a session is quiet', async () => {
    const log = createMemoryLog()
    const worker = start(log, { sessions: ['s'], snapshotEvery: 4, leaseMs: 30 })
    for (let seq = 0; seq < 8; seq += 1) await log.append('s', texts(1, seq), { expectedSeq: seq })
    await expect.poll(async () => (await log.loadSnapshot('s'))?.seq).toBe(8)
    await log.append('s', texts(1, 8), { expectedSeq: 8 })
    await expect.poll(async () => (await log.loadSnapshot('s'))?.seq).toBe(9)
    await worker.stop()
  })

  it('shares sessions, and takes over those of a worker that has ended', async () => {
    const log = createMemoryLog()
    const sessions = ['a', 'b', 'c', 'd']
    const first = start(log, { owner: 'first', sessions, maxSessions: 2, leaseMs: 60 })
    const second = start(log, { owner: 'second', sessions, maxSessions: 4, leaseMs: 60 })
    await expect.poll(() => first.sessions().length + second.sessions().length).toBe(4)
    expect(first.sessions().length).toBeLessThanOrEqual(2)
    await first.stop()
    await expect.poll(() => second.sessions()).toEqual(sessions)
    await second.stop()
  })

  it('extends its lease, and gives the session up when another owner has it', async () => {
    const { log, control } = controlled()
    const first = start(log, { owner: 'first', sessions: ['s'], leaseMs: 1000 })
    await expect.poll(() => first.updates.length).toBe(1)
    await pause(2500)
    expect(await log.acquire('s', 'second', { leaseMs: 1000 })).toBeNull()
    // The process is stopped for longer than its lease.
    let resume = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      resume = resolve
    })
    control.delay = () => stopped
    await expect.poll(() => log.acquire('s', 'second', { leaseMs: 60_000 })).toBe(2)
    control.delay = undefined
    resume()
    await log.append('s', texts(500), { expectedSeq: 0 })
    await pause(100)
    expect(await log.loadSnapshot('s')).toBeNull()
    await log.release('s', 2)
    await first.stop()
  })

  it('takes sessions that come later, each once, and ends while it waits for one', async () => {
    const log = createMemoryLog()
    async function* sessions() {
      yield 'a'
      yield 'a'
      await pause(5)
      yield 'b'
      await new Promise(() => {})
    }
    const worker = start(log, { sessions: sessions() })
    await expect.poll(() => worker.sessions()).toEqual(['a', 'b'])
    expect(worker.updates).toHaveLength(2)
    await worker.stop()
  })

  it('rejects at once with an error of its host, and releases its leases', async () => {
    const log = createMemoryLog()
    const failure = new Error('of the host')
    const fail = () => {
      throw failure
    }
    await expect(start(log, { sessions: ['a', 'b'], onState: fail }).done).rejects.toBe(failure)
    expect(await log.acquire('a', 'other', { leaseMs: 1000 })).toBe(2)
    async function* sessions() {
      yield 'b'
      await pause(5)
      throw failure
    }
    await expect(start(log, { sessions: sessions() }).done).rejects.toBe(failure)
    expect(await log.acquire('b', 'other', { leaseMs: 1000 })).toBeGreaterThan(1)
  })

  it('rejects for a snapshot that it cannot read, and for a damaged session', async () => {
    const log = createMemoryLog()
    await log.append('s', texts(1), { expectedSeq: 0 })
    const foreign: unknown = { version: 1, epoch: 's', seq: 1, state: {} }
    await log.saveSnapshot('s', foreign as ReturnType<typeof snapshot>)
    await expect(start(log, { sessions: ['s'] }).done).rejects.toMatchObject({ code: 'not-a-snapshot' })
    const { log: broken, control } = controlled()
    control.fail = (method) =>
      method === 'loadSnapshot' ? Promise.reject(new LogError('broken', 'damaged')) : undefined
    await expect(start(broken, { sessions: ['s'] }).done).rejects.toMatchObject({ code: 'broken' })
  })

  it('tries again while the log fails, and rejects with its error after the time of a lease', async () => {
    const { log, control } = controlled()
    const worker = start(log, { sessions: ['s'], leaseMs: 90 })
    const lost = new Error('connection lost')
    for (const method of ['acquire', 'loadSnapshot', 'saveSnapshot', 'release', 'trimmed'] as const) {
      const before = worker.updates.length
      let failures = 0
      control.fail = (called) => {
        if (called !== method || failures === 1) return undefined
        failures += 1
        return Promise.reject(lost)
      }
      const seq = worker.updates.at(-1)?.seq ?? 0
      await log.append('s', texts(1, seq), { expectedSeq: seq })
      await expect.poll(() => worker.updates.length).toBeGreaterThan(before)
      expect(worker.updates.at(-1)?.state.blocks).toHaveLength(seq + 1)
    }
    control.fail = () => Promise.reject(lost)
    await expect(worker.done).rejects.toBe(lost)
  })

  it('tries again after a log was silent, and rejects with the code `silent` if it stays so', async () => {
    const { log, control } = controlled()
    const worker = start(log, { sessions: ['s'], leaseMs: 60 })
    await log.append('s', texts(1), { expectedSeq: 0 })
    await expect.poll(() => worker.updates.at(-1)?.seq).toBe(1)
    let calls = 0
    control.delay = () => (++calls > 1 ? Promise.resolve() : new Promise(() => {}))
    await expect.poll(() => calls).toBeGreaterThan(1)
    await log.append('s', texts(1, 1), { expectedSeq: 1 })
    await expect.poll(() => worker.updates.at(-1)?.seq).toBe(2)
    control.delay = () => new Promise(() => {})
    await expect(worker.done).rejects.toMatchObject({ name: 'LogError', code: 'silent' })
  })

  it('ends while it extends its lease, and needs no listener', async () => {
    const { log, control } = controlled()
    await log.append('s', texts(1), { expectedSeq: 0 })
    const stop = new AbortController()
    const worker = runSessionWorker(log, { owner: 'w', sessions: ['s'], leaseMs: 30, signal: stop.signal })
    await expect.poll(async () => (await log.loadSnapshot('s'))?.seq).toBe(1)
    await new Promise<void>((resolve) => {
      control.delay = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    stop.abort()
    await worker
  })

  it('ends while it waits for a lease, whose call never ends', async () => {
    const { log, control } = controlled()
    control.delay = () => new Promise(() => {})
    const worker = start(log, { sessions: ['s'] })
    await pause(20)
    await worker.stop()
  })

  it('rejects if it cannot save at the end', async () => {
    const { log, control } = controlled()
    await log.append('s', texts(1), { expectedSeq: 0 })
    const worker = start(log, { sessions: ['s'] })
    await expect.poll(() => worker.updates.at(-1)?.seq).toBe(1)
    control.fail = (method) => (method === 'saveSnapshot' ? Promise.reject(new Error('lost')) : undefined)
    await expect(worker.stop()).rejects.toThrow('lost')
  })

  it('ends at once if the signal has aborted, also in the middle of a long log', async () => {
    const log = createMemoryLog()
    await log.append('s', texts(2000), { expectedSeq: 0 })
    const early = new AbortController()
    early.abort()
    await runSessionWorker(log, { owner: 'w', sessions: ['s'], leaseMs: 100, signal: early.signal })
    expect(await log.loadSnapshot('s')).toBeNull()
    const { log: slow, control } = controlled(log)
    const worker = start(slow, { sessions: ['s', 't'], maxSessions: 1, snapshotEvery: 100 })
    control.fail = (method) => {
      if (method === 'saveSnapshot') worker.abort()
      return undefined
    }
    await worker.done
    const saved = await log.loadSnapshot('s')
    expect(saved?.state).toEqual(fold(...texts(saved?.seq ?? 0)))
    expect(worker.updates).toEqual([])
  })

  it('refuses wrong options', async () => {
    const wrong: readonly Partial<SessionWorkerOptions>[] = [
      { owner: '' },
      { leaseMs: 0 },
      { maxSessions: 0 },
      { snapshotEvery: Number.NaN },
    ]
    for (const options of wrong) await expect(start(createMemoryLog(), options).done).rejects.toThrow(/pass/)
  })
})

it('ends after the abort though a follow ignores its signal', async () => {
  const log = createMemoryLog()
  const deaf: SessionLog = { ...controlled(log).log, follow: (id, afterSeq) => log.follow(id, afterSeq) }
  const stop = new AbortController()
  const onState = () => void setImmediate(() => stop.abort())
  await runSessionWorker(deaf, { owner: 'a', sessions: ['s'], leaseMs: 60_000, signal: stop.signal, onState })
  expect(await log.acquire('s', 'b', { leaseMs: 1000 })).not.toBeNull()
})

function start(log: SessionLog, options: Partial<SessionWorkerOptions>) {
  const stop = new AbortController()
  const updates: WorkerUpdate[] = []
  const done = runSessionWorker(log, {
    owner: 'worker',
    sessions: [],
    leaseMs: 1000,
    signal: stop.signal,
    onState: (update) => void updates.push(update),
    ...options,
  })
  done.catch(() => {})
  return {
    updates,
    done,
    abort: () => stop.abort(),
    sessions: () => [...new Set(updates.map(({ sessionId }) => sessionId))].sort(),
    stop: () => {
      stop.abort()
      return done
    },
  }
}

/** A log whose calls can fail. */
function controlled(log: SessionLog = createMemoryLog()) {
  const control: {
    fail?: ((method: string) => Promise<never> | undefined) | undefined
    delay?: (() => Promise<void>) | undefined
  } = {}
  const failing: SessionLog = {
    append: (...args) => log.append(...args),
    read: (...args) => log.read(...args),
    follow: (...args) => log.follow(...args),
    saveSnapshot: (...args) => control.fail?.('saveSnapshot') ?? log.saveSnapshot(...args),
    loadSnapshot: (...args) => control.fail?.('loadSnapshot') ?? log.loadSnapshot(...args),
    acquire: async (...args) => {
      if (args[1] === 'second') return log.acquire(...args)
      await control.delay?.()
      return control.fail?.('acquire') ?? log.acquire(...args)
    },
    release: (...args) => control.fail?.('release') ?? log.release(...args),
    sessions: () => log.sessions(),
    delete: (...args) => log.delete(...args),
    close: () => log.close(),
  }
  return { log: failing, control }
}
