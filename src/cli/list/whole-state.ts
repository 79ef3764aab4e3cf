import type { SessionConversationState } from '../../core/state/session.ts'
import { readSession } from '../../node/read/read-session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'

/** Reads a listed session whole. Undefined if it cannot be read: `show` says why. */
export async function wholeState(path: string): Promise<SessionConversationState | undefined> {
  try {
    return (await readSession(path)).state
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}
