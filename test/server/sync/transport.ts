import fc from 'fast-check'
import type { SessionEvent } from '../../../src/entries/index.ts'
import {
  type Received,
  receive,
  type StampedEvent,
  type SyncIssue,
  type SyncState,
  stamp,
} from '../../../src/entries/sync.ts'
import { delta } from '../../core/reducer/example.ts'
import { log } from '../../core/reducer/laws/logs.ts'

/** Names of logs. One of them is a key of every object. */
export const epoch: fc.Arbitrary<string> = fc.constantFrom('e1', 'e2', '', '__proto__')

/** The most events to buffer: none, one or a few. */
export const limit: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 12 }))

/** Returns the events as a server numbers them. */
export function stampAll(events: readonly SessionEvent[], epoch = 'e1', seq = 0): readonly StampedEvent[] {
  let cursor = { epoch, seq }
  return events.map((event) => {
    const next = stamp(cursor, event)
    cursor = next.cursor
    return next.stamped
  })
}

export interface Delivered {
  readonly sync: SyncState
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SyncIssue[]
  /** The result for each value. */
  readonly steps: readonly Received[]
}

/** An event with its own number as its delta. */
export const nth = (seq: number): StampedEvent => ({ epoch: 'e1', seq, event: delta('b', String(seq)) })

/** The numbers in the deltas of the events. */
export const eventNumbers = (events: readonly SessionEvent[]): readonly (number | string)[] =>
  events.map((event) => (event.type === 'block:delta' ? Number(event.delta) : event.type))

/** The numbers from `from` to `to`, both included. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Passes the values to a receiver one by one. */
export function deliver(sync: SyncState, arrivals: readonly StampedEvent[]): Delivered {
  const steps: Received[] = []
  for (const stamped of arrivals) steps.push(receive(steps.at(-1)?.sync ?? sync, stamped))
  return {
    sync: steps.at(-1)?.sync ?? sync,
    events: steps.flatMap(({ events }) => events),
    issues: steps.flatMap(({ issues }) => issues),
    steps,
  }
}

/** A random order in which each item is at most `limit` places early or late. */
export function displaced<Item>(items: readonly Item[], limit: number): fc.Arbitrary<readonly Item[]> {
  const delays = fc.array(fc.nat({ max: limit }), { minLength: items.length, maxLength: items.length })
  return fc.tuple(delays, fc.boolean()).map(([delays, isLastFirst]) => {
    const delayed = items.map((item, at) => ({ item, at, due: at + (delays[at] ?? 0) }))
    delayed.sort((left, right) => left.due - right.due || (isLastFirst ? right.at - left.at : 0))
    return delayed.map(({ item }) => item)
  })
}

/** The items with repetitions of some of them at later places. */
export function repeated<Item>(items: readonly Item[]): fc.Arbitrary<readonly Item[]> {
  const place = fc.nat({ max: Math.max(0, items.length - 1) })
  return fc.array(fc.tuple(place, place), { maxLength: 12 }).map((copies) => {
    const dueAt = (at: number) =>
      copies.flatMap(([from, due]) => (due === at && from <= at ? items.slice(from, from + 1) : []))
    return items.flatMap((item, at) => [item, ...dueAt(at)])
  })
}

/** The log of one server, and its arrivals over a bad transport: in any order, with losses and repetitions. */
export const badTransport: fc.Arbitrary<{
  readonly sent: readonly StampedEvent[]
  readonly arrivals: readonly StampedEvent[]
}> = log
  .map((events) => stampAll(events))
  .chain((sent) =>
    fc.record({
      sent: fc.constant(sent),
      arrivals:
        sent.length > 0
          ? fc.array(fc.constantFrom(...sent), { maxLength: 60, size: 'max' })
          : fc.constant([]),
    }),
  )

/** Two lists mixed at random, each in its own order. */
export function interleaved<Item>(
  left: readonly Item[],
  right: readonly Item[],
  chance: Iterator<boolean>,
): readonly Item[] {
  const lefts = [...left]
  const rights = [...right]
  const mixed: Item[] = []
  while (lefts.length > 0 || rights.length > 0) {
    const isLeft = rights.length === 0 || (lefts.length > 0 && chance.next().value === true)
    mixed.push(...(isLeft ? lefts : rights).splice(0, 1))
  }
  return mixed
}

/** Casts any value to a stamped event. Not all hostile values can be written as JSON. */
export function hostile(value: unknown): StampedEvent {
  return value as StampedEvent
}
