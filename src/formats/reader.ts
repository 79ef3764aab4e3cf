import type { SessionEvent } from '../events/event.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { TranscriptError } from './combined.ts'
import type { Entry } from './entries.ts'
import { IssueCounter } from './issue-counter.ts'
import type { Source, SourceEnd, SourceIssue, Translated } from './source.ts'

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
  readonly #formatName: string
  readonly #issues = new IssueCounter<SourceIssue>(issueKey)
  #memory: Memory
  #entries = 0
  #knownMessages = 0

  /** An error names the format. */
  constructor(source: Source<Memory>, formatName: string) {
    this.#source = source
    this.#formatName = formatName
    this.#memory = source.initial
  }

  read(entry: Entry): readonly SessionEvent[] {
    this.#entries += 1
    const { memory, events, issues } = translateEntry(this.#source, this.#memory, entry)
    this.#memory = memory
    for (const issue of issues) this.#issues.add(issue)
    if ('issue' in entry) return events
    if (!issues.some(({ code }) => code === 'unknown-message')) this.#knownMessages += 1
    return events
  }

  end(): SourceEnd {
    if (this.#knownMessages === 0 && this.#entries > 0)
      throw new TranscriptError(
        'not-a-transcript',
        `not a transcript: ${this.#formatName} knows none of its lines (${this.#entries} in all)`,
      )
    const { events, issues, ending } = this.#source.end(this.#memory)
    for (const issue of issues) this.#issues.add(issue)
    return { events, issues: this.#issues.issues, ending }
  }
}

/** Translates the message of an entry. The issues have the entry's place. */
export function translateEntry<Memory>(
  source: Source<Memory>,
  memory: Memory,
  entry: Entry,
): Translated<Memory> {
  if ('issue' in entry) return { memory, events: [], issues: [withPlace(entry.issue, entry)] }
  const translated = source.translate(memory, entry.message)
  if (translated.issues.length === 0) return translated
  return { ...translated, issues: translated.issues.map((issue) => withPlace(issue, entry)) }
}

/** All messages of one unknown type share an issue, and so do all broken lines of a transcript. The issue has the first line. */
export function issueKey({ code, transcript, messageType, toolUseId }: SourceIssue): unknown {
  return messageType === undefined ? [code, transcript, toolUseId] : [code, messageType]
}

function withPlace(issue: SourceIssue, { line, transcript }: Entry): SourceIssue {
  return omitUndefined({ ...issue, line, transcript })
}
