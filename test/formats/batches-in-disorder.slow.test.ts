import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchOf } from '../../src/formats/reader.ts'
import type { Source } from '../../src/index.ts'
import { inputs } from './inputs.ts'

type Change = readonly ['drop' | 'repeat' | 'move', number, number]

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.tuple(fc.constantFrom('drop', 'repeat', 'move'), fc.nat(), fc.nat()),
  { minLength: 1, maxLength: 6 },
)

describe.each(inputs)('$name', ({ source, messages }) => {
  it('gives the same in one batch as message by message, although messages are missing, repeated or moved', () => {
    fc.assert(
      fc.property(changes, (all) => expectSameInBatch(source, inDisorder(messages, all))),
      { numRuns: 4 },
    )
  })
})

function inDisorder(messages: readonly unknown[], all: readonly Change[]): readonly unknown[] {
  return all.reduce<readonly unknown[]>((before, [kind, from, to]) => {
    const source = from % before.length
    const rest = kind === 'repeat' ? before : before.toSpliced(source, 1)
    return kind === 'drop' ? rest : rest.toSpliced(to % before.length, 0, before[source])
  }, messages)
}

function expectSameInBatch<Memory>(source: Source<Memory>, messages: readonly unknown[]): void {
  const batch = batchOf(source, source.initial)
  const together = messages.map((message) => batch.translate(message))
  let memory = source.initial
  for (const [index, message] of messages.entries()) {
    const alone = source.translate(memory, message)
    memory = alone.memory
    const expected = { events: alone.events, issues: alone.issues }
    const { events, issues } = together[index] ?? {}
    // Only a difference needs the slow matcher.
    if (!isDeepStrictEqual({ events, issues }, expected))
      expect({ events, issues }, `message ${index}`).toEqual(expected)
  }
  expect(source.save(batch.finish())).toEqual(source.save(memory))
}
