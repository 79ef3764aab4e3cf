import type { SessionEvent } from '../../../core/events/event.ts'
import type { SessionLog } from '../../../server/log/session-log.ts'
import {
  acquired,
  appendNotes,
  collect,
  equal,
  LONG,
  logged,
  note,
  pause,
  place,
  readAll,
  refused,
  rejects,
  SessionLogLawError,
  sessionIds,
} from './law-steps.ts'

/** A rule that every session log keeps. */
export interface SessionLogLaw {
  readonly name: string
  /**
   * Rejects if the log breaks the rule. `sessionId` is a session that the log does not have, and other sessions of
   * the log do not matter.
   */
  check(log: SessionLog, sessionId: string): Promise<void>
}

/** The rules that every session log keeps. Run each of them on a log of your own, for example with `it.each`. */
export const sessionLogLaws: readonly SessionLogLaw[] = [
  {
    name: 'numbers the events of each session from 1',
    async check(log, id) {
      equal(await log.append(id, [note(1), note(2)], { expectedSeq: 0 }), 2)
      equal(await log.append(id, [note(3)], { expectedSeq: 2 }), 3)
      equal(await log.append(id, [], { expectedSeq: 3 }), 3)
      equal(await log.append(`${id}-other`, [note(1)], { expectedSeq: 0 }), 1)
      equal(await readAll(log, id), [1, 2, 3].map(logged))
      equal(await readAll(log, id, 2), [logged(3)])
      equal(await readAll(log, `${id}-unknown`), [])
    },
  },
  {
    name: 'keeps events as they were, with any text',
    async check(log, id) {
      const content = 'a\u2028b\n\r\u0000\ud83d\ude00 "quoted" \\ é'
      const events = [
        note(content),
        { type: 'made-up', __proto__: null, nested: [{ a: [] }] },
      ] as SessionEvent[]
      await log.append(id, events, { expectedSeq: 0 })
      equal(
        (await readAll(log, id)).map(({ event }) => event),
        JSON.parse(JSON.stringify(events)),
      )
    },
  },
  {
    name: 'takes no event at all, if it refuses one',
    async check(log, id) {
      const events = [note(1), { type: 'session:idle', error: 1n } as unknown as SessionEvent]
      await refused(log.append(id, events, { expectedSeq: 0 }), 'not-json')
      equal(await readAll(log, id), [])
    },
  },
  {
    name: 'refuses another number than the last one, and names both',
    async check(log, id) {
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      for (const expectedSeq of [0, 1, 3]) {
        const append = log.append(id, [note('late')], { expectedSeq })
        await refused(append, 'wrong-seq', { expected: expectedSeq, actual: 2 })
      }
      equal(await readAll(log, id), [1, 2].map(logged))
    },
  },
  {
    name: 'lets one of several writers win a place',
    async check(log, id) {
      const writers = [1, 2, 3, 4].map((each) => log.append(id, [note(each)], { expectedSeq: 0 }))
      const results = await Promise.allSettled(writers)
      equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      equal((await readAll(log, id)).length, 1)
    },
  },
  {
    name: 'gives a lease to one owner, and a greater generation to each next one',
    async check(log, id) {
      const first = await acquired(log, id, 'a')
      equal(await log.acquire(id, 'b', LONG), null)
      equal(await log.acquire(id, 'a', LONG), first)
      await log.release(id, first)
      const second = await acquired(log, id, 'b')
      if (second <= first) throw new SessionLogLawError('generations must grow', second, `> ${first}`)
      await log.release(id, first)
      equal(await log.acquire(id, 'a', LONG), null)
    },
  },
  {
    name: 'gives the lease to another owner after its time',
    async check(log, id) {
      const first = await acquired(log, id, 'a', { leaseMs: 20 })
      let second: number | null = null
      for (let tries = 0; second === null && tries < 100; tries += 1) {
        await pause(20)
        second = await log.acquire(id, 'b', LONG)
      }
      equal(second !== null && second > first, true)
    },
  },
  {
    name: 'refuses the writer of an older generation, and names both',
    async check(log, id) {
      const first = await acquired(log, id, 'a')
      await log.append(id, [note(1)], { expectedSeq: 0, generation: first })
      await log.release(id, first)
      const second = await acquired(log, id, 'b')
      const numbers = { expected: second, actual: first }
      await refused(
        log.append(id, [note(2)], { expectedSeq: 1, generation: first }),
        'old-generation',
        numbers,
      )
      await refused(log.saveSnapshot(id, place(id, 1), { generation: first }), 'old-generation', numbers)
      equal(await log.append(id, [note(2)], { expectedSeq: 1, generation: second }), 2)
      equal(await log.append(id, [note(3)], { expectedSeq: 2 }), 3)
    },
  },
  {
    name: 'keeps the newest snapshot',
    async check(log, id) {
      equal(await log.loadSnapshot(id), null)
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      await log.saveSnapshot(id, place(id, 2))
      equal(await log.loadSnapshot(id), place(id, 2))
      await log.saveSnapshot(id, place(id, 1))
      equal(await log.loadSnapshot(id), place(id, 2))
      await refused(log.saveSnapshot(id, place(id, 3)), 'wrong-seq', { expected: 3, actual: 2 })
      equal(await readAll(log, id), [1, 2].map(logged))
    },
  },
  {
    name: 'may drop the events of a snapshot, and then refuses to read them',
    async check(log, id) {
      await log.append(id, [note(1), note(2), note(3)], { expectedSeq: 0 })
      await log.saveSnapshot(id, place(id, 2), { trim: true })
      equal(await readAll(log, id, 2), [logged(3)])
      await log.saveSnapshot(id, place(id, 3), { trim: true })
      equal(await readAll(log, id, 3), [])
      await refused(readAll(log, id, 0), 'trimmed', { expected: 3, actual: 0 })
      equal(await log.append(id, [note(4)], { expectedSeq: 3 }), 4)
      equal(await readAll(log, id, 3), [logged(4)])
    },
  },
  {
    name: 'refuses to read and to follow after a number that it does not have, because it lost events',
    async check(log, id) {
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      const numbers = { expected: 2, actual: 3 }
      await refused(readAll(log, id, 3), 'lost-events', numbers)
      await refused(collect(log.follow(id, 3), 1, new AbortController()), 'lost-events', numbers)
      await refused(readAll(log, `${id}-unknown`, 1), 'lost-events', { expected: 0, actual: 1 })
      equal(await readAll(log, id, 2), [])
    },
  },
  {
    name: 'follows: what is there, and what comes, each event once',
    async check(log, id) {
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      const stop = new AbortController()
      const [seen, alsoSeen] = await Promise.all([
        collect(log.follow(id, 1, { signal: stop.signal }), 7, stop),
        collect(log.follow(id, 2, { signal: stop.signal }), 3, stop),
        appendNotes(log, id, { from: 3, to: 8 }),
      ])
      equal(seen, [2, 3, 4, 5, 6, 7, 8].map(logged))
      equal(alsoSeen, [3, 4, 5].map(logged))
    },
  },
  {
    name: 'ends a follow when its signal aborts',
    async check(log, id) {
      const stop = new AbortController()
      const seen = collect(log.follow(id, 0, { signal: stop.signal }), 1, stop)
      await pause(20)
      stop.abort()
      equal(await seen, [])
      equal(await collect(log.follow(id, 0, { signal: stop.signal }), 1, stop), [])
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      const early = new AbortController()
      const events = log.follow(id, 0, { signal: early.signal })[Symbol.asyncIterator]()
      equal((await events.next()).value?.seq, 1)
      early.abort()
      equal((await events.next()).done, true)
    },
  },
  {
    name: 'lists the sessions that it keeps',
    async check(log, id) {
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      await log.append(`${id}%-snapshot`, [note(1)], { expectedSeq: 0 })
      await log.saveSnapshot(`${id}%-snapshot`, place(id, 1), { trim: true })
      equal(await readAll(log, `${id}-unknown`), [])
      const own = (await sessionIds(log)).filter((each) => each.startsWith(id))
      equal(own.sort(), [id, `${id}%-snapshot`].sort())
    },
  },
  {
    name: 'deletes a session, and follows of it see that its events are gone',
    async check(log, id) {
      await log.append(id, [note(1), note(2)], { expectedSeq: 0 })
      await log.saveSnapshot(id, place(id, 1), { trim: true })
      const seen = collect(log.follow(id, 1), 2, new AbortController())
      const isRefused = refused(seen, 'lost-events', { expected: 0, actual: 2 })
      await pause(20)
      await log.delete(id)
      await isRefused
      equal(await log.loadSnapshot(id), null)
      equal(await readAll(log, id), [])
      equal((await sessionIds(log)).includes(id), false)
      await log.delete(id)
      equal(await log.append(id, [note(1)], { expectedSeq: 0 }), 1)
      equal(await readAll(log, id), [logged(1)])
    },
  },
  {
    name: 'refuses wrong arguments',
    async check(log, id) {
      await rejects(log.append('', [], { expectedSeq: 0 }), TypeError)
      await rejects(log.append(id, [], { expectedSeq: -1 }), RangeError)
      await rejects(log.append(id, [], { expectedSeq: 0, generation: 0.5 }), RangeError)
      await rejects(readAll(log, id, Number.NaN), RangeError)
      await rejects(log.acquire(id, '', LONG), TypeError)
      await rejects(log.acquire(id, 'a', { leaseMs: 0 }), RangeError)
    },
  },
  {
    name: 'closes: it ends follows and refuses calls',
    async check(log, id) {
      const seen = collect(log.follow(id, 0), 1, new AbortController())
      await pause(20)
      await log.close()
      equal(await seen, [])
      await refused(log.append(id, [note(1)], { expectedSeq: 0 }), 'closed')
      await refused(sessionIds(log), 'closed')
      await log.close()
    },
  },
]
