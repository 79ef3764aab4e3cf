import type { SessionEvent } from '../core/events/event.ts'
import { isBytes, type JsonValue } from '../core/json/values.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { EntryFold } from './entry-fold.ts'
import { isCombined } from './input/combined.ts'
import { decodedEntries, lastEntries } from './input/entries.ts'
import { decodeLines, initialLines, type LineMemory } from './input/jsonl.ts'
import { saveSession } from './save-session.ts'
import type { Ending, ReadIssue, Session, Source } from './source.ts'
import { startOver } from './start-over.ts'

/** Reads one session as it arrives. */
export interface SessionReader {
  /**
   * Reads the next part of the session: text or UTF-8 bytes of newline-delimited JSON, cut anywhere, or one parsed
   * message. Returns the new events and issues. An issue names the line, or the number of the message, counted from
   * 1.
   *
   * A combined transcript, as the functions for the files of a session return it, is the whole session so far. A reader that has read
   * a stream starts over from it, and keeps what only the stream has: open texts, requests, and blocks that the files
   * do not have yet.
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
  /** The events start at the initial state, and replace the earlier ones. `hub.publish` takes such a step. */
  readonly startsOver?: true
}

/** The options of `createReader`. */
interface ReaderOptions {
  /** A session to go on with, from `loadSession` or `source.open(state)`. */
  readonly session?: Session
}

/**
 * Returns a reader, which holds the session, the incomplete line and the place in the input.
 *
 * @example
 * ```ts
 * const reader = createReader(source)
 * for await (const chunk of output) render(reader.push(chunk).events, reader.state)
 * reader.end()
 * ```
 */
export function createReader(source: Source, options: ReaderOptions = {}): SessionReader {
  return openReader(source, options)
}

/** A reader that may go on with another session, at its place in the input. */
interface RestartableReader extends SessionReader {
  /** Reads the last line, which may lack its line break. The input has no other end yet. */
  pushLast(): ReaderStep
  restart(session: Session): void
}

/** Returns a reader for the hub, which starts a session over while its stream goes on. */
export function openReader(source: Source, { session }: ReaderOptions = {}): RestartableReader {
  const reader = new EntryFold(source, session)
  let lines: LineMemory = initialLines
  const takeLast = () => {
    const last = lastEntries(lines)
    const isWhole = lines.rest === '' && lines.bytes.length === 0
    const { isText } = lines
    lines = {
      ...initialLines,
      ended: lines.ended + (isWhole ? 0 : 1),
      ...(isText !== undefined && { isText }),
    }
    return last
  }
  return {
    push(input) {
      if (typeof input === 'string' || isBytes(input)) {
        const decoded = decodeLines(lines, input)
        lines = decoded.memory
        return reader.read(decodedEntries(decoded))
      }
      if (isCombined(input)) {
        const { state } = reader.session
        const { session: restarted, events, issues, isEmpty } = startOver(source, input, state)
        // Files without a line of the session say nothing of it. A line that the stream has not ended yet goes on.
        reader.restart(isEmpty ? reader.session : restarted, issues)
        if (isEmpty) return { events, issues }
        return isInitial(state) ? { events, issues } : { events, issues, startsOver: true }
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
    restart: (restarted) => reader.restart(restarted, []),
    pushLast: () => reader.read(takeLast()),
    end: () => reader.end(takeLast()),
  }
}

/** Whether nothing has been read. */
function isInitial({ blocks, subagents, session, turn }: SessionConversationState): boolean {
  return blocks.length + subagents.length + Object.keys(session).length === 0 && turn.status === 'idle'
}
