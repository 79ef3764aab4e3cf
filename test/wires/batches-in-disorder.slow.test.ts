import fc from 'fast-check'
import { describe, it } from 'vitest'
import { inputs } from './inputs.ts'
import { expectSameInBatch } from './same-in-batch.ts'

type Change = readonly ['drop' | 'repeat' | 'move', number, number]

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.tuple(fc.constantFrom('drop', 'repeat', 'move'), fc.nat(), fc.nat()),
  { minLength: 1, maxLength: 6 },
)

describe.each(inputs)('$name', ({ source, messages }) => {
  it('gives the same in one batch as message by message, although messages are missing, repeated or moved', () => {
    fc.assert(
      fc.property(changes, (all) => expectSameInBatch(source, inDisorder(messages, all))),
      { numRuns: 1 },
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
