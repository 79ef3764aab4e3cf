import type { SessionEvent } from '../events/event.ts'

/**
 * What a source has to say of its input:
 * - `malformed-line`: no JSON; the rest is read
 * - `unknown-message`, `unknown-block`: a type that the source does not know, with `messageType` naming it
 * - `too-deep`: a message nested deeper than 254 levels; the rest of it is read, and `[nested too deep]` stands for what is below
 * - `unplaced-message`: a message of a subagent that nothing connects to a call
 * - `other-session`: a message of another session of the same server
 * - `unfinished-subagent`: an agent that still ran when the input ended
 */
export type SourceIssueCode =
  | 'malformed-line'
  | 'unknown-message'
  | 'unknown-block'
  | 'too-deep'
  | 'unplaced-message'
  | 'other-session'
  | 'unfinished-subagent'

/** One thing that a source has to say, with its place. */
export interface SourceIssue {
  readonly code: SourceIssueCode
  /** How often it was met. */
  readonly count: number
  /** The type that is not known, such as `system/tea_break`. */
  readonly messageType?: string
  /** The first line that it was met at, counted from 1. */
  readonly line?: number
  /** The file or subagent that the line belongs to, where the input has several. */
  readonly transcript?: string
  readonly toolUseId?: string
}

/**
 * How an input ended: `finished` by itself; `interrupted` while something was going on, by the user or a crash; `open`
 * at rest, with nothing that says it is over.
 */
export type Ending = 'finished' | 'interrupted' | 'open'

/** What a message gave, and what the source has to remember of it. */
export interface Translated<Memory> {
  readonly memory: Memory
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
}

/** What the end of the input gave. */
export interface SourceEnd {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly ending: Ending
}

/** Turns a program's messages into events, one by one: a pure fold whose cost per message does not grow. */
export interface Source<Memory> {
  readonly initial: Memory
  translate(memory: Memory, message: unknown): Translated<Memory>
  end(memory: Memory): SourceEnd
}
