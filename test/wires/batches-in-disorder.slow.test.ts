import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadIssue, SessionEvent } from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { saveSession } from '../../src/reading/save-session.ts'
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

/** The messages in one long batch give what they give alone, and leave the same session in the end. */
function expectSameInBatch(source: Source, messages: readonly unknown[]): void {
  const events: SessionEvent[] = []
  const issues: ReadIssue[] = []
  let session = source.open()
  for (const [index, message] of messages.entries()) {
    const alone = source.read(session, [message])
    session = alone.session
    events.push(...alone.events)
    issues.push(...alone.issues.map((issue) => ({ ...issue, index })))
  }
  const batch = source.read(source.open(), messages)
  expect(batch.issues).toEqual(issues)
  // Only a difference needs the slow matcher.
  if (!isDeepStrictEqual(batch.events, events)) expect(batch.events).toEqual(events)
  expect(saveSession(batch.session)).toEqual(saveSession(session))
}
