import * as fc from 'fast-check'
import { expect } from 'vitest'
import { parseSessionEvent, type SessionConversationState } from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { reloaded } from './saved.ts'

const WRONG: readonly unknown[] = [null, 7, 'x', '', true, [], {}, [null], [7], { type: 'x' }, -1]

/** Returns a function that copies values. In a copy, about one value of so many is another one. */
export function spoilerOf(start: number, rarity: number): (value: unknown) => unknown {
  let state = start
  const next = (bound: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 4) % bound
  }
  const spoil = (value: unknown): unknown => {
    if (next(rarity) === 0) return WRONG[next(WRONG.length)]
    if (Array.isArray(value)) return value.map(spoil)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spoil(item)]))
  }
  return spoil
}

/** A function that spoils values, rarely or often. */
export const anySpoiler: fc.Arbitrary<(value: unknown) => unknown> = fc
  .tuple(fc.nat({ max: 2 ** 30 }), fc.constantFrom(20, 60, 200))
  .map(([start, rarity]) => spoilerOf(start, rarity))

/** Reads the messages, also from the saved session and from the state alone, and returns the state. */
export function stateOf(source: Source, messages: readonly unknown[]): SessionConversationState {
  const { session, events } = source.read(source.open(), messages)
  const end = source.end(reloaded(source, session))
  const { state } = end.session
  const again = source.read(source.open(state), messages)
  for (const event of [...events, ...end.events, ...again.events])
    expect(parseSessionEvent(event)).toEqual({ ok: true, event })
  return state
}
