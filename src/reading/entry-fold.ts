import type { SessionEvent } from '../core/events/event.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { BrokenLine, type Entry } from './input/entries.ts'
import type { Ending, ReadIssue, Session, Source } from './source.ts'

/** The events and issues of some entries. The issues have their places, and those of one kind are one issue with a count. */
interface ReadEntries {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** Reads entries with one source, in portions. Each portion is one batch. */
export class EntryFold {
  readonly #source: Source
  readonly #issues = new IssueCounter<ReadIssue>(issueKey)
  #session: Session
  #entryCount = 0
  #knownCount = 0

  constructor(source: Source, session: Session = source.open()) {
    this.#source = source
    this.#session = session
  }

  get session(): Session {
    return this.#session
  }

  /** The number of entries so far, and the number of those whose type the source knows. */
  get counts(): { readonly all: number; readonly known: number } {
    return { all: this.#entryCount, known: this.#knownCount }
  }

  /** All issues so far. */
  get issues(): readonly ReadIssue[] {
    return this.#issues.issues
  }

  /** Goes on with another session, whose messages had these issues. */
  restart(session: Session, issues: readonly ReadIssue[]): void {
    this.#session = session
    this.#count(issues)
  }

  read(entries: Iterable<Entry>): ReadEntries {
    const { events, issues, entryCount, unknownCount } = this.#readPortion(entries)
    this.#entryCount += entryCount
    this.#knownCount += entryCount - unknownCount
    return { events, issues: this.#count(issues) }
  }

  /** Counts new issues among all of the input. Returns them as issues of their portion, after the portion's earlier ones. */
  #count(issues: readonly ReadIssue[], earlier: readonly ReadIssue[] = []): readonly ReadIssue[] {
    const portion = new IssueCounter<ReadIssue>(issueKey)
    for (const issue of earlier) portion.add(issue)
    for (const issue of issues) {
      this.#issues.add(issue)
      portion.add(issue)
    }
    return portion.issues
  }

  #readPortion(entries: Iterable<Entry>): ReadPortion {
    // Few messages have issues, so none gets an object for its place.
    const lines: number[] = []
    const transcripts: (string | undefined)[] = []
    const broken: PlacedIssue[] = []
    let entryCount = 0
    const messages = function* () {
      for (const entry of entries) {
        entryCount += 1
        if ('issue' in entry) {
          broken.push({ issue: withPlace(entry.issue, entry), at: lines.length })
          // A file of facts beside the transcript has no line of it.
          if (!entry.isCut && entry.line > 0) yield new BrokenLine(entry.transcript)
        } else {
          lines.push(entry.line)
          transcripts.push(entry.transcript)
          yield entry.message
        }
      }
    }
    const { session, events, issues } = this.#source.read(this.#session, messages())
    this.#session = session
    const unknown = issues.flatMap(({ code, index }) => (code === 'unknown-message' ? [index] : []))
    const found = issues.map((issue) => {
      const { index } = issue
      const place = index === undefined ? {} : { line: lines[index], transcript: transcripts[index] }
      return { issue: withPlace(issue, place), at: index ?? 0 }
    })
    return {
      events,
      issues: [...broken, ...found].sort((left, right) => left.at - right.at).map(({ issue }) => issue),
      entryCount,
      unknownCount: new Set(unknown).size + broken.length,
    }
  }

  /** Returns the events and issues of the last entries and of the input's end. */
  end(last: Iterable<Entry> = []): ReadEntries & { readonly ending: Ending } {
    const read = this.read(last)
    const { session, events, issues, ending } = this.#source.end(this.#session)
    this.#session = session
    return { events: [...read.events, ...events], issues: this.#count(issues, read.issues), ending }
  }
}

/** An issue with its place, and the number of messages before it. */
interface PlacedIssue {
  readonly issue: ReadIssue
  readonly at: number
}

interface ReadPortion extends ReadEntries {
  readonly entryCount: number
  /** The number of entries that the source does not know. */
  readonly unknownCount: number
}

/** The place of an entry. The entry itself can be freed. */
interface Place {
  readonly line?: number | undefined
  readonly transcript?: string | undefined
}

/** All messages of one unknown type share an issue, and so do all broken lines of a transcript. The issue has the first line. */
function issueKey({ index: _, line: _line, count: _count, ...facts }: ReadIssue): unknown {
  return 'messageType' in facts ? [facts.code, facts.messageType] : facts
}

/** Returns the issue with the line of its entry in place of its number in the batch. A broken line has its line already. */
function withPlace({ index: _, ...issue }: ReadIssue, place: Place): ReadIssue {
  return omitUndefined({
    ...issue,
    line: issue.line ?? place.line,
    transcript: issue.transcript ?? place.transcript,
  })
}

/** Collects issues in order. It merges repeated issues into one with a `count`. */
export class IssueCounter<Issue extends { readonly count?: number }> {
  readonly #issues = new Map<string, Issue>()
  readonly #keyOf: (issue: Issue) => unknown

  /** Issues with the same key count as repeated. */
  constructor(keyOf: (issue: Issue) => unknown) {
    this.#keyOf = keyOf
  }

  add(issue: Issue): void {
    const key = JSON.stringify(this.#keyOf(issue))
    const first = this.#issues.get(key)
    this.#issues.set(key, first ? { ...first, count: (first.count ?? 1) + (issue.count ?? 1) } : issue)
  }

  get issues(): readonly Issue[] {
    return [...this.#issues.values()]
  }
}
