import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { ReadIssue, SessionEvent } from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { saveSession } from '../../src/reading/save-session.ts'

/** The messages in one long batch give what they give alone, and leave the same session in the end. */
export function expectSameInBatch(source: Source, messages: readonly unknown[]): void {
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
