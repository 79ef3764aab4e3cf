import { expect } from 'vitest'
import { everything as agentfold } from '../entries.ts'

/** What the library may throw where it is used wrongly, and nothing that only says how an engine gave up. */
export function expectDocumented(error: unknown): void {
  const kinds = [
    TypeError,
    RangeError,
    agentfold.CanonicalizationError,
    agentfold.ConversationLimitError,
    agentfold.RecordedAudioUploadKeyError,
    agentfold.SnapshotError,
    agentfold.TranscriptError,
    agentfold.LawError,
    agentfold.ParityError,
  ]
  expect(kinds.some((kind) => error instanceof kind)).toBe(true)
  expect(String(error)).not.toMatch(/call stack|Invalid (string|array) length/)
}
