import type { SessionEvent } from '../core/events/event.ts'
import type { JsonValue } from '../core/json/values.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { decodedEntries, lastEntries } from './input/entries.ts'
import { decodeLines, initialLines, isBytes, type LineMemory } from './input/jsonl.ts'
import { EntryReader } from './reader.ts'
import { saveSession } from './save-session.ts'
import type { Session } from './session.ts'
import type { Ending, ReadIssue, Source } from './source.ts'

/** Reads one session as it arrives. */
export interface SessionReader {
  /**
   * Reads the next part of the session: text or UTF-8 bytes of newline-delimited JSON, cut anywhere, or one parsed message. Returns the new events and
   * issues. An issue names the line, or the number of the message, counted from 1.
   */
  push(input: unknown): ReaderStep
  /** The state after the last whole line. */
  readonly state: SessionConversationState
  readonly session: Session
  /** All issues so far. */
  readonly issues: readonly ReadIssue[]
  /** Returns the session as JSON for `loadSession`. An incomplete last line is no part of it. */
  save(): JsonValue
  /** Ends the input: nothing runs after it. A later `push` goes on where the input was cut. */
  end(): ReaderStep & { readonly ending: Ending }
}

/** The new events and issues of a reader. Issues of one kind are one issue with a count. */
export interface ReaderStep {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** The options of `createReader`. */
export interface ReaderOptions {
  /** A session to go on with, from `loadSession` or `source.open(state)`. */
  readonly session?: Session
}

/**
 * Returns a reader, which holds the session, the incomplete line and the place in the input.
 *
 * @example
 * const reader = createReader(source)
 * for await (const chunk of output) render(reader.push(chunk).events, reader.state)
 * reader.end()
 */
export function createReader(source: Source, { session }: ReaderOptions = {}): SessionReader {
  const reader = new EntryReader(source, session)
  let lines: LineMemory = initialLines
  return {
    push(input) {
      if (typeof input === 'string' || isBytes(input)) {
        const decoded = decodeLines(lines, input)
        lines = decoded.memory
        return reader.read(decodedEntries(decoded))
      }
      lines = { ...lines, ended: lines.ended + 1 }
      return reader.read([{ line: lines.ended, message: input }])
    },
    get state() {
      return reader.session.state
    },
    get session() {
      return reader.session
    },
    get issues() {
      return reader.issues
    },
    save: () => saveSession(reader.session),
    end() {
      const last = lastEntries(lines)
      const isWhole = lines.rest === '' && lines.bytes.length === 0
      lines = { ...initialLines, ended: lines.ended + (isWhole ? 0 : 1) }
      return reader.end(last)
    },
  }
}
