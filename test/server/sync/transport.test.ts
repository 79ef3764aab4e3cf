import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/entries/index.ts'
import {
  createSyncState,
  missing,
  receive,
  type StampedEvent,
  type SyncState,
} from '../../../src/entries/sync.ts'
import { json, log } from '../../core/reducer/laws/logs.ts'
import { runs } from '../../depth.ts'
import { deepFreeze, objectsIn } from '../../objects.ts'
import {
  badTransport,
  deliver,
  displaced,
  epoch,
  eventNumbers,
  hostile,
  interleaved,
  limit,
  nth,
  numbers,
  repeated,
  stampAll,
} from './transport.ts'

const empty = createInitialConversationState()

describe('a transport that delays events within the limit, and repeats some', () => {
  const arrivals = fc.tuple(log, limit, epoch).chain(([events, most, name]) =>
    fc.record({
      events: fc.constant(events),
      sync: fc.constantFrom(createSyncState({ limit: most }), createSyncState({ limit: most, epoch: name })),
      stamped: displaced(stampAll(events, name), most).chain(repeated),
    }),
  )

  it('gives each event of the log once, in order', () => {
    fc.assert(
      fc.property(arrivals, ({ events, sync, stamped }) => {
        const delivered = deliver(sync, stamped)
        expect(delivered.events).toEqual(events)
        expect(delivered.issues).toEqual([])
        expect(delivered.sync).toMatchObject({ seq: events.length, latest: events.length, buffered: [] })
        expect(missing(delivered.sync)).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })

  it('gives the same state as the log in order', () => {
    fc.assert(
      fc.property(arrivals, ({ events, sync, stamped }) => {
        let state = empty
        for (const step of deliver(sync, stamped).steps) state = reduceSessionEvents(state, step.events)
        expect(state).toEqual(reduceSessionEvents(empty, events))
      }),
    )
  })

  it('gives all events for every order of six events, with the needed limit', () => {
    for (const order of permutations([1, 2, 3, 4, 5, 6])) {
      const most = Math.max(...order.map((seq, at) => Math.abs(seq - 1 - at)))
      const delivered = deliver(createSyncState({ limit: most }), order.map(nth))
      expect(eventNumbers(delivered.events)).toEqual([1, 2, 3, 4, 5, 6])
      expect(delivered.issues).toEqual([])
    }
  })

  it.each([0, 1, 2, 7])('may delay an event by %d places with that limit, but not by more', (most) => {
    const late = (places: number) => [...numbers(2, places + 1), 1].map(nth)
    expect(deliver(createSyncState({ limit: most }), late(most)).issues).toEqual([])
    expect(deliver(createSyncState({ limit: most }), late(most + 1)).issues).toEqual([
      { code: 'too-early', epoch: 'e1', seq: most + 2 },
    ])
  })
})

describe('any transport', () => {
  it('gives only the start of the log, in order', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ sent, arrivals }, most) => {
        for (const { sync } of deliver(createSyncState({ limit: most }), arrivals).steps)
          expect(sync.seq).toBeLessThanOrEqual(sent.length)
        const { sync, events } = deliver(createSyncState({ limit: most }), arrivals)
        expect(events).toEqual(sent.slice(0, sync.seq).map(({ event }) => event))
      }),
    )
  })

  it('fills the buffer at most to the limit, with each event once, in order, and after a gap', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ arrivals }, most) => {
        for (const { sync } of deliver(createSyncState({ limit: most }), arrivals).steps) {
          const buffered = sync.buffered.map(({ seq }) => seq)
          expect(buffered.length).toBeLessThanOrEqual(most)
          expect(buffered).toEqual([...new Set(buffered)].sort((left, right) => left - right))
          for (const seq of buffered) expect(seq).toBeGreaterThan(sync.seq + 1)
        }
      }),
    )
  })

  it('leaves the missing numbers: all after the returned events up to the latest, except the buffered ones', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ arrivals }, most) => {
        for (const [at, { sync }] of deliver(createSyncState({ limit: most }), arrivals).steps.entries()) {
          const arrived = arrivals.slice(0, at + 1).map(({ seq }) => seq)
          expect(sync.latest).toBe(Math.max(...arrived))
          const buffered = sync.buffered.map(({ seq }) => seq)
          expect(missingNumbers(sync)).toEqual(
            numbers(sync.seq + 1, sync.latest).filter((seq) => !buffered.includes(seq)),
          )
        }
      }),
    )
  })

  it('gives the whole log after the missing events are sent again, with any losses and any limit', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ sent, arrivals }, most) => {
        const before = deliver(createSyncState({ limit: most }), arrivals)
        const after = deliver(before.sync, resent(sent, before.sync))
        expect(missing(after.sync)).toEqual([])
        expect([...before.events, ...after.events]).toEqual(
          sent.slice(0, before.sync.latest).map(({ event }) => event),
        )
      }),
    )
  })

  it('gives the whole log if the missing events come again in reverse order', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ sent, arrivals }, most) => {
        let { sync, events } = deliver(createSyncState({ limit: most }), arrivals)
        while (missing(sync).length > 0) {
          const again = deliver(sync, [...resent(sent, sync)].reverse())
          expect(again.sync.seq).toBeGreaterThan(sync.seq)
          sync = again.sync
          events = [...events, ...again.events]
        }
        expect(events).toEqual(sent.slice(0, sync.latest).map(({ event }) => event))
      }),
    )
  })

  it('gives the same if the receiver is stored as JSON between events', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ arrivals }, most) => {
        let stored = createSyncState({ limit: most })
        for (const [at, step] of deliver(stored, arrivals).steps.entries()) {
          const [stamped = nth(1)] = arrivals.slice(at)
          const received = receive(JSON.parse(JSON.stringify(stored)), stamped)
          expect(received).toEqual(step)
          stored = received.sync
        }
      }),
    )
  })

  it('gets a receiver that neither mutates nor freezes its arguments', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ arrivals }, most) => {
        const text = JSON.stringify(arrivals)
        const { steps } = deliver(createSyncState({ limit: most }), arrivals)
        expect(JSON.stringify(arrivals)).toBe(text)
        expect(objectsIn(arrivals).some(Object.isFrozen)).toBe(false)
        let frozen = deepFreeze(createSyncState({ limit: most }))
        for (const [at, stamped] of deepFreeze(structuredClone(arrivals)).entries()) {
          const received = deepFreeze(receive(frozen, stamped))
          expect(received).toEqual(steps[at])
          frozen = received.sync
        }
      }),
    )
  })

  it('keeps the receiver’s reference if nothing changed', () => {
    fc.assert(
      fc.property(badTransport, limit, ({ arrivals }, most) => {
        let before = createSyncState({ limit: most })
        for (const { sync } of deliver(before, arrivals).steps) {
          if (isDeepStrictEqual(sync, before)) expect(sync).toBe(before)
          if (isDeepStrictEqual(sync.buffered, before.buffered)) expect(sync.buffered).toBe(before.buffered)
          before = sync
        }
      }),
    )
  })
})

describe('a value that is not a stamped event', () => {
  it('does not disturb the log around it', () => {
    fc.assert(
      fc.property(
        badTransport,
        fc.array(json),
        limit,
        fc.infiniteStream(fc.boolean()),
        (bad, junk, most, chance) => {
          const start = createSyncState({ limit: most })
          const mixed = interleaved(bad.arrivals, junk.map(hostile), chance)
          const [pure, disturbed] = [deliver(start, bad.arrivals), deliver(start, mixed)]
          expect(disturbed.sync).toEqual(pure.sync)
          expect(disturbed.events).toEqual(pure.events)
        },
      ),
    )
  })
})

function missingNumbers(sync: SyncState): readonly number[] {
  return missing(sync).flatMap(({ from, to }) => {
    expect(from).toBeLessThanOrEqual(to)
    return numbers(from, to)
  })
}

/** Returns the missing events, as a server sends them again. */
function resent(sent: readonly StampedEvent[], sync: SyncState): readonly StampedEvent[] {
  return missing(sync).flatMap(({ from, to }) => sent.slice(from - 1, to))
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length === 0) return [[]]
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  )
}
