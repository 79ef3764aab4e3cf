import type { SessionEvent } from '../events/event.ts'
import type { JsonValue } from '../json/values.ts'
import type { SessionConversationState } from '../state/session.ts'

/**
 * The problems that a source reports:
 * - `malformed-line`: lines are not JSON. The source reads the others. A transcript has one such issue, with a count.
 * - `unknown-message`, `unknown-block`: the source does not know the type in `messageType`.
 * - `too-many-parts`: a message has more than 1,000 parts. The source leaves out the later ones; `messageType` names them.
 * - `too-deep`: a message is nested deeper than 254 levels. The source replaces the deeper values with `[nested too deep]`.
 * - `unplaced-message`: a message belongs to a subagent, and nothing links it to a call.
 * - `other-session`: a message belongs to another session: of the same server, or joined to the same stream.
 * - `unfinished-subagent`: an agent still ran when the input ended. A finished session may leave an agent that waits for more work.
 */
export type SourceIssueCode =
  | 'malformed-line'
  | 'unknown-message'
  | 'unknown-block'
  | 'too-many-parts'
  | 'too-deep'
  | 'unplaced-message'
  | 'other-session'
  | 'unfinished-subagent'

/** A problem in an input, with its place. */
export interface SourceIssue {
  readonly code: SourceIssueCode
  /** How often the problem occurred. */
  readonly count: number
  /** The unknown type, such as `system/tea_break`. */
  readonly messageType?: string
  /** The first line with the problem, counted from 1. */
  readonly line?: number
  /** The file or the subagent of the line, if the input has several. */
  readonly transcript?: string
  /** The subagent with the problem, by the id that the input gives it. */
  readonly toolUseId?: string
}

/**
 * The way in which an input ended:
 * - `finished`: the session ended by itself
 * - `interrupted`: the user or a crash stopped the session while something ran
 * - `open`: nothing runs, and nothing shows that the session is over
 */
export type Ending = 'finished' | 'interrupted' | 'open'

/** The events and issues of a message, with the memory for the next message. */
export interface Translated<Memory> {
  readonly memory: Memory
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
}

/** The events and issues of the input's end. */
export interface SourceEnd {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly ending: Ending
}

/** A batch of messages. It changes a memory of its own, so it costs less than `translate` for one message after the other. */
export interface SourceBatch<Memory> {
  /** Returns the events and issues of the next message. */
  translate(message: unknown): Omit<Translated<Memory>, 'memory'>
  /** Returns the memory after the last message. The batch is over. */
  finish(): Memory
}

/**
 * Translates a program's messages into events, one by one. It is a pure fold, and its cost per message does not grow. Each function throws a
 * `TypeError` for a value that is no memory of this source, such as a memory that went through plain JSON.
 */
export interface Source<Memory> {
  /** The memory before the first message. */
  readonly initial: Memory
  /** Returns the events of the next message. A message that the source does not know is an issue, never an error. */
  translate(memory: Memory, message: unknown): Translated<Memory>
  /** Begins a batch, for a reader that needs the events of each message. A source may lack it. */
  begin?(memory: Memory): SourceBatch<Memory>
  /** Translates a batch. Returns the same as `translate` for one message after the other: all events and issues, in order. */
  translateAll(memory: Memory, messages: Iterable<unknown>): Translated<Memory>
  /** Returns the last events of the input, its issues and its ending. The events end a turn that still runs. */
  end(memory: Memory): SourceEnd
  /** Returns a memory that goes on from a state alone, as after a restart. Later messages may repeat what the state holds. */
  resume(state: SessionConversationState): Memory
  /** Returns the memory as plain JSON. The size of the JSON is proportional to the size of the memory. */
  save(memory: Memory): JsonValue
  /**
   * Returns the memory that `save` saved. It goes on exactly as the saved one. Throws a `SnapshotError`, whose `issues` name the wrong
   * places, for a value that `save` did not make.
   */
  load(saved: unknown): Memory
}
