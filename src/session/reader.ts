import type { SessionEvent } from '../events/event.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import type { TranslatedMessages } from './context.ts'
import { TranscriptError } from './input/combined.ts'
import type { Entry } from './input/entries.ts'
import { IssueCounter } from './issue-counter.ts'
import type { Source, SourceBatch, SourceEnd, SourceIssue } from './source.ts'

/** Reads the entries of an input in order and collects the issues. */
export interface Reader {
  /** Returns the events of an entry. */
  read(entry: Entry): readonly SessionEvent[]
  /**
   * Returns the events of the input's end, and all issues of the input. Throws a `TranscriptError` if the input has entries and the
   * source knows none of them.
   */
  end(): SourceEnd
}

/** Reads entries with one source. */
export class SourceReader<Memory> implements Reader {
  readonly #source: Source<Memory>
  readonly #formatName: string | undefined
  readonly #issues = new IssueCounter<SourceIssue>(issueKey)
  readonly #batch: SourceBatch<Memory>
  #entries = 0
  #knownMessages = 0

  /** An error names the format that the caller chose. Without a name, the format was detected. */
  constructor(source: Source<Memory>, formatName: string | undefined) {
    this.#source = source
    this.#formatName = formatName
    this.#batch = batchOf(source, source.initial)
  }

  read(entry: Entry): readonly SessionEvent[] {
    this.#entries += 1
    const { events, issues } = translateEntry(this.#batch, entry)
    if (issues.length === 0 || isKnown(entry, issues)) this.#knownMessages += 1
    for (const issue of issues) this.#issues.add(issue)
    return events
  }

  end(): SourceEnd {
    if (this.#knownMessages === 0 && this.#entries > 0)
      throw new TranscriptError('not-a-transcript', `not a transcript: ${this.#unknownReason()}`)
    const { events, issues, ending } = this.#source.end(this.#batch.finish())
    for (const issue of issues) this.#issues.add(issue)
    return { events, issues: this.#issues.issues, ending }
  }

  #unknownReason(): string {
    const count = this.#entries
    return this.#formatName === undefined
      ? `no known program wrote it (${count} ${count === 1 ? 'line' : 'lines'} read)`
      : `${this.#formatName} knows none of its lines (${count} in all)`
  }
}

/** Whether the source knows the message of an entry that has issues. */
function isKnown(entry: Entry, issues: readonly SourceIssue[]): boolean {
  return !('issue' in entry) && !issues.some(({ code }) => code === 'unknown-message')
}

/** Begins a batch of a source. A source that has no batches translates message by message. */
export function batchOf<Memory>(source: Source<Memory>, start: Memory): SourceBatch<Memory> {
  if (source.begin) return source.begin(start)
  let memory = start
  return {
    translate(message) {
      const translated = source.translate(memory, message)
      memory = translated.memory
      return translated
    },
    finish: () => memory,
  }
}

/** Translates the message of an entry. The issues have the entry's place. */
export function translateEntry(batch: SourceBatch<unknown>, entry: Entry): TranslatedMessages {
  if ('issue' in entry) return { events: [], issues: [withPlace(entry.issue, entry)] }
  const translated = batch.translate(entry.message)
  if (translated.issues.length === 0) return translated
  return { events: translated.events, issues: translated.issues.map((issue) => withPlace(issue, entry)) }
}

/** All messages of one unknown type share an issue, and so do all broken lines of a transcript. The issue has the first line. */
export function issueKey({ code, transcript, messageType, toolUseId }: SourceIssue): unknown {
  return messageType === undefined ? [code, transcript, toolUseId] : [code, messageType]
}

function withPlace(issue: SourceIssue, { line, transcript }: Entry): SourceIssue {
  return omitUndefined({ ...issue, line, transcript })
}
