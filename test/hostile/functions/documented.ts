import { expect } from 'vitest'
import { everything as agentfold } from '../../entries.ts'

/** Expects an error that the library documents for wrong use, and not an error of the engine. */
export function expectDocumented(error: unknown): void {
  const kinds = [
    TypeError,
    RangeError,
    agentfold.CanonicalizationError,
    agentfold.ConversationLimitError,
    agentfold.RecordedAudioUploadKeyError,
    agentfold.ReplayLifecycleTransitionError,
    agentfold.RequestError,
    agentfold.SnapshotError,
    agentfold.TranscriptError,
    agentfold.LawError,
    agentfold.ParityError,
  ]
  expect(kinds.some((kind) => error instanceof kind)).toBe(true)
  expect(String(error)).not.toMatch(/call stack|Invalid (string|array) length/)
}
