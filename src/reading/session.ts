import type { SessionConversationState } from '../core/state/session.ts'
import type { Notes } from './notes/notes.ts'

/**
 * A session while it is read. The state has everything that a person can see. The notes have only the facts that no
 * state shows. Both are immutable. `saveSession` turns a session into JSON.
 */
export interface Session {
  readonly state: SessionConversationState
  readonly notes: Notes
}
