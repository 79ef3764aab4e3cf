import type { ConversationThread, SessionConversationState } from '../../../core/state/session.ts'
import type { LiveRun } from './live-run.ts'

/** The law that a join breaks. */
type JoinCode = 'lost' | 'overwritten' | 'doubled' | 'incomplete' | 'reordered'

/** A part of a joined state that breaks the law. */
export interface PartFault {
  readonly code: JoinCode
  /** The part in words, such as `content of block m1:0 of main`. */
  readonly part: string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The state of a history with the live messages from a cut on, and the states that it must agree with. */
export interface Join {
  readonly joined: SessionConversationState
  readonly history: SessionConversationState
  /** The history's state without the end of its input. Its open blocks go on, although the end makes them final. */
  readonly open: SessionConversationState
  /** The history's state with the end of its input. It has the messages that waited for their place. */
  readonly ended: SessionConversationState
  readonly live: LiveRun
  /** The index of the first live message. */
  readonly cut: number
}

/** One conversation of a join. */
export interface JoinedThread {
  readonly id: string
  readonly joined: ConversationThread
  readonly history: ConversationThread
  readonly open: ConversationThread
  readonly ended: ConversationThread
  readonly alive: ConversationThread
}
