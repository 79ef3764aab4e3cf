import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { concatenated, open, type Reader, text } from './readers.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function memory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// Each comment to a silent page left a listener of the next event behind: a kilobyte every 15 seconds, for each page.
it('keeps nothing of the comments that it sends while nothing happens', async () => {
  const hub = createSessionHub({ heartbeatMs: 0 })
  await hub.publish('s', [text(0)])
  const reader = await open(hub, 's')
  await reader.read()
  for (let beat = 0; beat < 100; beat += 1) await reader.read()
  const before = memory()
  for (let beat = 0; beat < 1000; beat += 1) expect(await reader.read()).toBe(':\n\n')
  expect(memory() - before).toBeLessThan(400_000)
  await hub.publish('s', [text(1)])
  expect(await reader.read()).toContain('"id":"b1"')
  await reader.cancel()
})

// 200 pages that connected and did not read held 1.6 GB of a session of 10 MB.
it('sends a large state and a large event in pieces, of one text for all readers', async () => {
  const [old, late] = ['é😀'.repeat(1_000_000), 'a'.repeat(4_000_000)]
  const hub = createSessionHub()
  await hub.publish('s', [text(0, old)])
  const readers = await Promise.all(Array.from({ length: 30 }, () => open(hub, 's')))
  const before = memory()
  const firsts = await Promise.all(readers.map((reader) => reader.read()))
  expect(memory() - before).toBeLessThan(40_000_000)
  expect(Math.max(...firsts.map(({ length }) => length))).toBeLessThan(70_000)
  await hub.publish('s', [text(1, late)])
  const rests = await concatenated(readers.slice(0, 2), '"id":"b1"')
  for (const [at, rest] of rests.entries()) expect(`${firsts[at]}${rest}`).toContain(`"${old}"`)
  await Promise.all(readers.map((reader) => reader.cancel()))
})

// 1,800 pages that came one after the other while a session of 3 MB changed held 1.2 GB: each kept the text of its snapshot.
it('keeps no snapshot for a reader that has taken it', async () => {
  const hub = createSessionHub()
  await hub.publish('s', [text(0, 'a'.repeat(1_000_000))])
  const readers: Reader[] = []
  const before = memory()
  for (let at = 1; at <= 30; at += 1) {
    const reader = await open(hub, 's')
    await concatenated([reader], '\n\n')
    await hub.publish('s', [text(at)])
    await concatenated([reader], `"id":"b${at}"`)
    readers.push(reader)
  }
  expect(memory() - before).toBeLessThan(10_000_000)
  await Promise.all(readers.map((reader) => reader.cancel()))
})

// 200 slow pages of a session of 3 MB that came while it changed held 1.1 GB: each had a snapshot of its own.
it('keeps one snapshot for slow readers that come while the session changes', async () => {
  const hub = createSessionHub()
  await hub.publish('s', [text(0, 'a'.repeat(1_000_000))])
  const readers: Reader[] = []
  const firsts: string[] = []
  const before = memory()
  for (let at = 1; at <= 30; at += 1) {
    const reader = await open(hub, 's')
    firsts.push(await reader.read())
    await hub.publish('s', [text(at)])
    readers.push(reader)
  }
  expect(memory() - before).toBeLessThan(10_000_000)
  const rests = await concatenated(readers, '"id":"b30"')
  // Each reader gets every event after its snapshot, once.
  for (const [at, rest] of rests.entries()) {
    const seqs = [...`${firsts[at]}${rest}`.matchAll(/^id: (\d+):/gm)].map(([, seq]) => Number(seq))
    expect(seqs).toEqual(seqs.map((_, index) => Number(seqs[0]) + index))
    expect(seqs.at(-1)).toBe(31)
  }
  await Promise.all(readers.map((reader) => reader.cancel()))
})

// With 200 pages, an agent that worked stopped the server for 6 seconds: each event was 200 messages.
it('reads and sends events that come together at once, for all readers', async () => {
  const calls: string[] = []
  const memoryLog = createMemoryLog()
  const log = new Proxy(memoryLog, {
    get: (target, name) => {
      const method = Reflect.get(target, name).bind(target)
      if (name !== 'read' && name !== 'follow') return method
      return (...args: readonly unknown[]) => {
        calls.push(name)
        return method(...args)
      }
    },
  })
  const hub = createSessionHub({ log })
  await hub.publish('s', [text(0)])
  const readers = await Promise.all(Array.from({ length: 20 }, () => open(hub, 's')))
  for (const reader of readers) await reader.read()
  const pieces = readers.map((reader) => reader.read())
  await hub.publish('s', [text(1)])
  await Promise.all(pieces)
  const next = readers.map((reader) => reader.read())
  await new Promise((resolve) => setTimeout(resolve))
  calls.length = 0
  await hub.publish(
    's',
    Array.from({ length: 100 }, (_, at) => text(at + 2)),
  )
  for (const piece of await Promise.all(next)) expect(piece).toMatch(/"id":"b2".*"id":"b101"/s)
  expect(calls.length).toBeLessThan(8)
  await Promise.all(readers.map((reader) => reader.cancel()))
})

it('lets the server answer while many readers have much to take', async () => {
  const hub = createSessionHub()
  await hub.publish('s', [text(0, 'a'.repeat(40_000_000))])
  const reader = await open(hub, 's')
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  })
  await concatenated([reader], '\n\n')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
  await reader.cancel()
})

// 900 pages that came at once read the log 1,800 times, one after the other, and the next event waited for a minute.
it('reads the log once for the readers that come together', async () => {
  let reads = 0
  const memoryLog = createMemoryLog()
  const read: SessionLog['read'] = (...call) => {
    reads += 1
    return memoryLog.read(...call)
  }
  const log = new Proxy(memoryLog, {
    get: (target, name) => (name === 'read' ? read : Reflect.get(target, name).bind(target)),
  })
  const hub = createSessionHub({ log })
  await hub.publish('s', [text(0)])
  reads = 0
  const readers = Promise.all(Array.from({ length: 20 }, () => open(hub, 's')))
  const published = hub.publish('s', [text(1)])
  await Promise.all((await readers).map((reader) => reader.read()))
  await published
  expect(reads).toBeLessThan(8)
  expect((await hub.state('s'))?.blocks).toHaveLength(2)
  await Promise.all((await readers).map((reader) => reader.cancel()))
})

// A page that went away while its network was slow stayed a reader of the log for ever.
it('forgets a reader that goes away before it has taken an event', async () => {
  const watching = new Set<unknown>()
  const log = counted(createMemoryLog(), watching)
  const hub = createSessionHub({ log })
  await hub.publish('s', [text(0)])
  for (let each = 0; each < 20; each += 1) {
    const reader = await open(hub, 's')
    await reader.read()
    const next = reader.read()
    await hub.publish('s', [text(1), text(2)])
    await next
    await reader.cancel()
  }
  await new Promise((resolve) => setTimeout(resolve))
  expect(watching.size).toBe(0)
})

/** Counts the calls of `follow` that have not ended. */
function counted(log: SessionLog, watching: Set<unknown>): SessionLog {
  const follow: SessionLog['follow'] = async function* (...call) {
    watching.add(call)
    try {
      yield* log.follow(...call)
    } finally {
      watching.delete(call)
    }
  }
  return new Proxy(log, {
    get: (target, name) => (name === 'follow' ? follow : Reflect.get(target, name).bind(target)),
  })
}
