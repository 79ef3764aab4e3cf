import type { SessionEvent } from '../events/event.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { TranscriptError } from './combined.ts'
import type { Entry } from './entries.ts'
import type { Source, SourceEnd, SourceIssue } from './source.ts'

/** Reads the entries of an input one after the other, and keeps what there is to say about them. */
export interface Reader {
  /** Returns the events of an entry. */
  read(entry: Entry): readonly SessionEvent[]
  /**
   * Returns what the end of the input gives, and all issues of the input. Throws a `TranscriptError` if there was
   * something, but nothing that is known.
   */
  end(): SourceEnd
}

/** A reader of what one source knows. */
export class SourceReader<Memory> implements Reader {
  readonly #source: Source<Memory>
  #memory: Memory
  readonly #issues = new Map<string, SourceIssue>()
  #entries = 0
  #knownMessages = 0

  constructor(source: Source<Memory>) {
    this.#source = source
    this.#memory = source.initial
  }

  read(entry: Entry): readonly SessionEvent[] {
    this.#entries += 1
    if ('issue' in entry) {
      this.#count(located(entry.issue, entry))
      return []
    }
    const { memory, events, issues } = this.#source.translate(this.#memory, entry.message)
    this.#memory = memory
    for (const issue of issues) this.#count(located(issue, entry))
    if (!issues.some(({ code }) => code === 'unknown-message')) this.#knownMessages += 1
    return events
  }

  end(): SourceEnd {
    if (this.#knownMessages === 0 && this.#entries > 0)
      throw new TranscriptError(
        'not-a-transcript',
        `not a transcript: not one of its lines is known (${this.#entries} in all)`,
      )
    const { events, issues, ending } = this.#source.end(this.#memory)
    for (const issue of issues) this.#count(issue)
    return { events, issues: [...this.#issues.values()], ending }
  }

  /** One issue for all messages of a type that is not known; a broken line is one by itself. */
  #count(issue: SourceIssue): void {
    const { code, line, transcript, messageType, toolUseId } = issue
    const key = JSON.stringify(
      messageType === undefined ? [code, line, transcript, toolUseId] : [code, messageType],
    )
    const before = this.#issues.get(key)
    this.#issues.set(key, before ? { ...before, count: before.count + issue.count } : issue)
  }
}

function located(issue: SourceIssue, { line, transcript }: Entry): SourceIssue {
  return omitUndefined({ ...issue, line, transcript })
}
