import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { claudeSource } from '../../src/formats/claude/source.ts'
import { opencodeSource } from '../../src/formats/opencode/source.ts'
import { createInitialConversationState, foldSessionEvents, type Source } from '../../src/index.ts'
import { recordings as opencodeRecordings } from './opencode/recordings.ts'
import { messagesIn, requestRecordings } from './recordings.ts'

const WRONG: readonly unknown[] = [null, 7, 'x', '', true, [], {}, [null], [7], { type: 'x' }, -1]

/** Returns a copy in which about one value of so many is another one. */
function spoiled(value: unknown, seed: () => number, rarity: number): unknown {
  if (seed() % rarity === 0) return WRONG[seed() % WRONG.length]
  if (Array.isArray(value)) return value.map((item) => spoiled(item, seed, rarity))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spoiled(item, seed, rarity)]))
}

function expectReadable<Memory>(source: Source<Memory>, messages: readonly unknown[]): void {
  const { memory, events } = source.translateAll(source.initial, messages)
  const loaded = source.load(JSON.parse(JSON.stringify(source.save(memory))))
  const end = source.end(loaded)
  const { state, issues } = foldSessionEvents(createInitialConversationState(), [...events, ...end.events])
  expect(issues.filter(({ code }) => code === 'unknown-event')).toEqual([])
  const resumed = source.resume(state)
  expect(() => source.translateAll(resumed, messages)).not.toThrow()
}

const sessions: readonly (readonly [
  string,
  (messages: (all: readonly unknown[]) => readonly unknown[]) => void,
])[] = [
  ...requestRecordings.map(
    ({ name, stream }) =>
      [
        name,
        (change: (all: readonly unknown[]) => readonly unknown[]) =>
          expectReadable(claudeSource, change(messagesIn(stream))),
      ] as const,
  ),
  ...requestRecordings.map(
    ({ name, disk }) =>
      [
        `${name}, files`,
        (change: (all: readonly unknown[]) => readonly unknown[]) =>
          expectReadable(claudeSource, change(messagesIn(disk.main))),
      ] as const,
  ),
  ...opencodeRecordings.map(
    ({ name, events }) =>
      [
        name,
        (change: (all: readonly unknown[]) => readonly unknown[]) =>
          expectReadable(opencodeSource, change(messagesIn(events))),
      ] as const,
  ),
]

it.each(sessions)('%s: fields of a wrong kind give no event that the reducer refuses', (_, read) => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 30 }), fc.constantFrom(20, 60, 200), (start, rarity) => {
      let state = start
      const seed = () => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31
        return state >> 4
      }
      read((all) => all.map((message) => spoiled(message, seed, rarity)))
    }),
    { numRuns: 25 },
  )
})
