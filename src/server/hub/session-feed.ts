import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import type { LoggedEvent, SessionLog } from '../log/session-log.ts'
import { Wake } from '../signals.ts'
import { type MessageTexts, PIECE } from './event-stream.ts'

/** The end of the events that a reader has. */
export interface Place {
  readonly epoch: string
  readonly seq: number
  readonly digest?: string
}

/** Events that follow each other. All readers that take them at one time have the same object. */
export interface EventBatch {
  readonly events: readonly LoggedEvent[]
  /** The messages that readers have made of all events, by the name and the marks of the session. */
  readonly messages: Map<string, MessageTexts>
}

/** The most events of a batch. */
const MOST_EVENTS = 256

/** Waits for the changes of a log, for all readers of a session. */
interface Tail {
  readonly waiting: Set<Wake>
  readonly abort: () => void
  changes: number
  /** Present when the log was closed, or has failed. */
  end?: { readonly error?: unknown }
}

/**
 * The events of a session for its readers. The readers of one place share one reading of the log, and one `follow` of
 * the log wakes all of them. So the work for an event hardly grows with the number of readers.
 */
export class SessionFeed {
  readonly #log: SessionLog
  readonly #id: string
  readonly #texts = new WeakMap<SessionEvent, string>()
  /** The batches that are read now, by their start. */
  readonly #reading = new Map<string, Promise<EventBatch>>()
  #tail: Tail | undefined
  #readers = 0

  constructor(log: SessionLog, id: string) {
    this.#log = log
    this.#id = id
  }

  /** Yields the events after the place, and those that come, until the signal aborts or the log closes. */
  async *follow(start: Place, signal: AbortSignal): AsyncGenerator<EventBatch, void> {
    let place = start
    this.#readers += 1
    try {
      while (!signal.aborted) {
        // It listens before it reads, so that no event falls between the two.
        this.#tail ??= this.#openTail(place)
        const tail = this.#tail
        const { changes } = tail
        const batch = await this.#batchAfter(place)
        const last = batch.events.at(-1)
        if (signal.aborted) return
        if (last) {
          yield batch
          place = placeAt(last, place.epoch)
        } else if (!(await hasChanged(tail, changes, signal))) return
      }
    } finally {
      this.#readers -= 1
      if (this.#readers === 0) this.#closeTail()
    }
  }

  /** Returns the JSON of an event. A log in memory gives all readers the same object, so they share its text. */
  textOf(event: SessionEvent): string {
    const text = this.#texts.get(event) ?? JSON.stringify(event)
    this.#texts.set(event, text)
    return text
  }

  #batchAfter(place: Place): Promise<EventBatch> {
    const key = JSON.stringify(place)
    const found = this.#reading.get(key)
    if (found) return found
    const batch = this.#read(place).finally(() => {
      if (this.#reading.get(key) === batch) this.#reading.delete(key)
    })
    this.#reading.set(key, batch)
    return batch
  }

  async #read({ seq, digest }: Place): Promise<EventBatch> {
    const events: LoggedEvent[] = []
    let length = 0
    for await (const logged of this.#log.read(this.#id, seq, omitUndefined({ digest }))) {
      events.push(logged)
      length += this.textOf(logged.event).length
      if (length > PIECE || events.length === MOST_EVENTS) break
    }
    return { events, messages: new Map() }
  }

  #openTail(place: Place): Tail {
    const ended = new AbortController()
    const tail: Tail = { waiting: new Set(), abort: () => ended.abort(), changes: 0 }
    this.#reading.clear()
    void this.#run(tail, place, ended.signal)
    return tail
  }

  async #run(tail: Tail, { seq, digest }: Place, signal: AbortSignal): Promise<void> {
    const wake = (): void => {
      // The next reader needs the present events of the log.
      this.#reading.clear()
      tail.changes += 1
      for (const each of tail.waiting) each.wake()
    }
    try {
      for await (const _ of this.#log.follow(this.#id, seq, { signal, ...omitUndefined({ digest }) })) wake()
      tail.end = {}
    } catch (error) {
      tail.end = { error }
    }
    if (this.#tail === tail) this.#tail = undefined
    wake()
  }

  #closeTail(): void {
    this.#tail?.abort()
    this.#tail = undefined
  }
}

/** Resolves at the next change. Returns false if the log or the reader ends before. Throws the error of the log. */
async function hasChanged(tail: Tail, before: number, signal: AbortSignal): Promise<boolean> {
  const own = new Wake()
  tail.waiting.add(own)
  while (tail.changes === before && !tail.end && !signal.aborted) await own.next({ signal })
  tail.waiting.delete(own)
  if (tail.end && 'error' in tail.end) throw tail.end.error
  return !tail.end && !signal.aborted
}

/** Returns the place after the event. It keeps nothing of the event. */
export function placeAt({ seq, digest }: Omit<LoggedEvent, 'event'>, epoch: string): Place {
  return { epoch, seq, ...omitUndefined({ digest }) }
}
