import type { SessionEvent } from '../core/events/event.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import type { CombinedTranscript } from './input/combined.ts'
import type { TranscriptRules } from './input/transcripts.ts'
import type { ReadIssue, RefusedEvent, SourceIssue, SourceIssueCode } from './issue.ts'
import type { Notes, NotesDeclaration } from './notes/notes.ts'

export type { ReadIssue, RefusedEvent, SourceIssue, SourceIssueCode }

/**
 * The way in which an input ended:
 * - `finished`: the session ended by itself
 * - `interrupted`: the user or a crash stopped the session while something ran
 * - `open`: nothing runs, and nothing shows that the session is over
 */
export type Ending = 'finished' | 'interrupted' | 'open'

/** The events and issues of a batch of messages, with the session after them. */
export interface Reading {
  readonly session: Session
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** The events and issues of the input's end. */
export interface SourceEnd extends Reading {
  readonly ending: Ending
}

/**
 * Reads a wire's messages into a session. It is a pure fold, and its cost per message does not grow. `read` and `end`
 * throw a `TypeError` for a session that another source returned, or that went through plain JSON.
 */
export interface Source {
  /** The declaration of its notes. A source that detects the wire has one for each wire. */
  readonly notes: readonly NotesDeclaration[]
  /** Returns how the files of a session become one stream of messages. Without it, they are read in the order of their times. */
  rulesOf?(transcript: CombinedTranscript): TranscriptRules
  /**
   * Returns a new session, or one that goes on from a state alone, as after a restart. Later messages may repeat what
   * the state holds.
   */
  open(state?: SessionConversationState): Session
  /**
   * Reads a batch of messages: the result is the same as for one message after the other. A message that the source
   * does not know is an issue, never an error.
   */
  read(session: Session, messages: Iterable<unknown>): Reading
  /** Returns the last events of the input, its issues and its ending. The events end what still runs. */
  end(session: Session): SourceEnd
}

/**
 * A session while it is read. The state has everything that a person can see. The notes have only the facts that no
 * state shows. Both are immutable. `saveSession` turns a session into JSON.
 */
export interface Session {
  readonly state: SessionConversationState
  readonly notes: Notes
}
