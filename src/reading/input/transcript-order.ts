import { compareStrings } from '../../core/json/lists.ts'
import { asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { Entry } from './entries.ts'

/** How the entries of a transcript show their times. */
export interface TimeRules {
  /** Returns the time of a message as ISO 8601; undefined if it has none. Without this, it is the message's `timestamp`. */
  readonly timeOf?: (message: JsonObject) => string | undefined
}

/** An entry with its place. */
export interface PlacedEntry {
  readonly entry: Entry
  readonly place: EntryPlace
}

/** The place of an entry among the entries of all transcripts of a session. */
export interface EntryPlace {
  /** The time of the message, or of the latest message before it in its transcript. */
  readonly time: string
  /** Orders the transcripts at equal times. Empty for main, which comes first. */
  readonly rank: string
  /** The number of messages before it in its transcript. */
  readonly index: number
}

/** Compares places by time, then by transcript: the order in which a session is read. */
export function comparePlaces(left: EntryPlace, right: EntryPlace): number {
  return (
    compareStrings(left.time, right.time) || compareStrings(left.rank, right.rank) || left.index - right.index
  )
}

/** The place in a transcript up to which it is read, as plain JSON. */
export interface TranscriptPlace {
  /** The time of the first message with a time. Entries before it have the same time. */
  readonly firstTime: string
  /** The time of the last entry. */
  readonly time: string
  /** The number of messages. */
  readonly entryCount: number
}

/**
 * The places of a transcript's entries. Entries keep their order: one without a time, or with an earlier one, takes its
 * neighbour's time.
 */
export class TranscriptOrder {
  readonly #rules: TimeRules
  readonly #rank: string
  #firstTime: string
  #time: string
  #entryCount: number

  constructor(
    rules: TimeRules,
    rank = '',
    { firstTime = '', time = '', entryCount = 0 }: Partial<TranscriptPlace> = {},
  ) {
    this.#rules = rules
    this.#rank = rank
    this.#firstTime = firstTime
    this.#time = time
    this.#entryCount = entryCount
  }

  get place(): TranscriptPlace {
    return { firstTime: this.#firstTime, time: this.#time, entryCount: this.#entryCount }
  }

  /** Places the next entries. */
  placeAll(entries: readonly Entry[]): readonly PlacedEntry[] {
    if (this.#firstTime === '')
      this.#firstTime = this.#time =
        entries.map((entry) => timeOf(entry, this.#rules)).find((time) => time !== '') ?? ''
    return entries.map((entry) => this.#place(entry))
  }

  #place(entry: Entry): PlacedEntry {
    const own = timeOf(entry, this.#rules)
    if (own > this.#time) this.#time = own
    const index = this.#entryCount
    if ('message' in entry) this.#entryCount += 1
    return { entry, place: { time: this.#time, rank: this.#rank, index } }
  }

  /** Places the facts about an agent before its first message. */
  placeFacts(entry: Entry): PlacedEntry {
    return { entry, place: { time: this.#firstTime, rank: this.#rank, index: -1 } }
  }
}

/** Returns the time of a message; empty if it has none. */
export function timeOf(entry: Entry, { timeOf: read }: TimeRules): string {
  if (!('message' in entry) || !isObject(entry.message)) return ''
  return (read ? read(entry.message) : asString(entry.message.timestamp)) ?? ''
}
