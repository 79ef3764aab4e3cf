import fc from 'fast-check'
import type { SessionEvent } from '../../src/index.ts'
import {
  type Received,
  receive,
  type StampedEvent,
  type SyncIssue,
  type SyncState,
  stamp,
} from '../../src/sync/index.ts'
import { delta } from '../reducer/example.ts'
import { log } from '../reducer/logs.ts'

/** Names of logs, one of them a key of every object. */
export const epoch: fc.Arbitrary<string> = fc.constantFrom('e1', 'e2', '', '__proto__')

/** How many events may be held: none, one, a few. */
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
  /** What came of each value. */
  readonly steps: readonly Received[]
}

/** An event that says which one it is. */
export const nth = (seq: number): StampedEvent => ({ epoch: 'e1', seq, event: delta('b', String(seq)) })

/** The numbers of such events. */
export const handedOn = (events: readonly SessionEvent[]): readonly (number | string)[] =>
  events.map((event) => (event.type === 'block:delta' ? Number(event.delta) : event.type))

/** The numbers from one to the other, both among them. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Hands everything to a receiver, one after the other. */
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

/** A random order in which nothing comes more than `limit` places too early or too late. */
export function displaced<Item>(items: readonly Item[], limit: number): fc.Arbitrary<readonly Item[]> {
  const delays = fc.array(fc.nat({ max: limit }), { minLength: items.length, maxLength: items.length })
  return fc.tuple(delays, fc.boolean()).map(([delays, isLastFirst]) => {
    const delayed = items.map((item, at) => ({ item, at, due: at + (delays[at] ?? 0) }))
    delayed.sort((left, right) => left.due - right.due || (isLastFirst ? right.at - left.at : 0))
    return delayed.map(({ item }) => item)
  })
}

/** The items with some of them once more, at any later place. */
export function repeated<Item>(items: readonly Item[]): fc.Arbitrary<readonly Item[]> {
  const place = fc.nat({ max: Math.max(0, items.length - 1) })
  return fc.array(fc.tuple(place, place), { maxLength: 12 }).map((copies) => {
    const dueAt = (at: number) =>
      copies.flatMap(([from, due]) => (due === at && from <= at ? items.slice(from, from + 1) : []))
    return items.flatMap((item, at) => [item, ...dueAt(at)])
  })
}

/** A log of one server, and what a bad transport makes of it: any order, losses and repetitions. */
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

/** The values as they come where two streams are mixed by chance. */
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

/** Passes a value off as a stamped event; not all that is hostile can be written as JSON. */
export function hostile(value: unknown): StampedEvent {
  return value as StampedEvent
}
