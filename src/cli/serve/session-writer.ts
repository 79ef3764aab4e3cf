import { setTimeout as delay } from 'node:timers/promises'
import type { SessionEvent } from '../../core/events/event.ts'
import { timeInMs } from '../../core/json/lists.ts'
import { type LastUpdate, startFollowing } from '../../node/follow/follow-session.ts'
import { goesOnUntil } from '../../node/session-index/kept-row.ts'
import type { SessionHub } from '../../server/hub/session-hub.ts'
import type { FollowedUpdate } from '../../server/hub/valid-event.ts'
import { compactEvents } from '../../server/sync/compact-events.ts'
import { titleOf } from '../session-reference.ts'
import { RedactedEvents } from './redacted-events.ts'

/** A final text that grew is whole if nothing comes for this time, in milliseconds. */
const QUIET_MS = 2000

interface WriterOptions {
  readonly hub: Pick<SessionHub, 'publish'>
  readonly sessionId: string
  /** Hides keys, passwords, addresses and home folders. The last line of a final text then waits until it is whole. */
  readonly redact: true | undefined
  /** The title that a listing knows. One in the session itself replaces it. */
  readonly title?: string | undefined
}

/** Writes the updates of a session to a hub, one after the other. */
export class SessionWriter {
  readonly #options: WriterOptions
  #redacted = new RedactedEvents()
  #quiet: NodeJS.Timeout | undefined
  #written: Promise<unknown> = Promise.resolve()
  #title: string | undefined

  constructor(options: WriterOptions) {
    this.#options = options
    this.#title = options.title
  }

  /** Resolves when the hub has all updates so far. Rejects if it refused one. */
  get written(): Promise<unknown> {
    return this.#written
  }

  write({ events, startsOver }: FollowedUpdate): void {
    clearTimeout(this.#quiet)
    // The first update may have each delta of a long session.
    const update = {
      events: startsOver ? compactEvents([...this.#titleEvents(), ...events]) : events,
      startsOver,
    }
    this.#publish(this.#options.redact ? this.#redact(update) : update)
  }

  /** Gives the session the title that a later listing knows. */
  rename(title: string | undefined): void {
    if (title === undefined || title === this.#title) return
    this.#title = title
    this.write({ events: this.#titleEvents(), startsOver: false })
  }

  #titleEvents(): readonly SessionEvent[] {
    const title = this.#title
    return title === undefined ? [] : [{ type: 'session:updated', facts: { title } }]
  }

  #redact({ events, startsOver }: FollowedUpdate): FollowedUpdate {
    if (startsOver) this.#redacted = new RedactedEvents()
    const shown = this.#redacted.append(events)
    if (this.#redacted.isWaiting)
      this.#quiet = setTimeout(
        () => this.#publish({ events: this.#redacted.release(), startsOver: false }),
        QUIET_MS,
      ).unref()
    return { events: shown, startsOver }
  }

  #publish(update: FollowedUpdate): void {
    const { hub, sessionId } = this.#options
    this.#written = this.#written.then(() => hub.publish(sessionId, update))
    // A caller that awaits `written` gets the failure. Until then, it must not crash the program.
    this.#written.catch(() => {})
  }
}

interface FollowOptions {
  /** The path of the session. */
  readonly path: string
  /** When the session changed last, if a listing knows it. */
  readonly updatedAt: string | undefined
  /** Returns the time in ms since the epoch. */
  readonly now: () => number
  /** Ends the following. */
  readonly signal: AbortSignal
}

/** A session that is followed into a writer. It ends there while nobody adds to it, as it does in the list. */
export class FollowedWriter {
  readonly #writer: SessionWriter
  readonly #options: FollowOptions
  #updates: AsyncIterator<LastUpdate>
  #changedAt: number
  #last: LastUpdate | undefined
  /** The writer has events of an end, which the reader has not. */
  #hasEnded = false
  #clock: NodeJS.Timeout | undefined

  constructor(writer: SessionWriter, options: FollowOptions) {
    this.#writer = writer
    this.#options = options
    this.#updates = startFollowing(options.path, options)
    this.#changedAt = options.updatedAt === undefined ? options.now() : timeInMs(options.updatedAt) || 0
    options.signal.addEventListener('abort', () => clearTimeout(this.#clock))
    void followTitle(writer, options)
  }

  /** Writes the next update. Resolves to it, or to undefined after the last one. */
  async next(): Promise<LastUpdate | undefined> {
    let next = await this.#updates.next()
    if (this.#hasEnded && !next.done && !next.value.startsOver) {
      // An end adds prompts, answers and usage that were not whole, and no event takes them back.
      await this.#updates.return?.()
      this.#updates = startFollowing(this.#options.path, { ...this.#options, awaitFile: true })
      next = await this.#updates.next()
    }
    if (next.done) return undefined
    const { value } = next
    if (this.#last) this.#changedAt = this.#options.now()
    this.#last = value
    const endEvents = await this.#ending(value)
    this.#hasEnded = endEvents.length > 0
    this.#writer.write({ events: [...value.events, ...endEvents], startsOver: value.startsOver })
    await this.#writer.written
    return value
  }

  /** Ends the following. */
  async close(): Promise<void> {
    clearTimeout(this.#clock)
    await this.#updates.return?.()
  }

  /** Returns the events that end the session if it does not go on. Otherwise, it asks again at the time of the end. */
  async #ending(update: LastUpdate): Promise<readonly SessionEvent[]> {
    clearTimeout(this.#clock)
    const { now } = this.#options
    const leftMs = goesOnUntil(update.state, this.#changedAt) - now()
    if (leftMs > 0) {
      this.#clock = setTimeout(() => void this.#end(update), Math.min(leftMs, MAX_TIMER_MS)).unref()
      return []
    }
    return update.endEvents()
  }

  async #end(update: LastUpdate): Promise<void> {
    const events = await this.#ending(update)
    if (this.#last !== update || events.length === 0) return
    this.#hasEnded = true
    this.#writer.write({ events, startsOver: false })
  }
}

/** A time of the session may be in the future. */
const MAX_TIMER_MS = 3_600_000

interface TitleOptions {
  /** The path of the session. */
  readonly path: string
  /** Ends the looks. */
  readonly signal: AbortSignal
}

/** The time between two looks, in ms. */
const PAUSE_MS = 5000

/** Gives the session its later titles: a program or a person may name it long after its start, and in another file. */
async function followTitle(
  writer: Pick<SessionWriter, 'rename'>,
  { path, signal }: TitleOptions,
): Promise<void> {
  while (await hasPaused(signal)) writer.rename(await titleOf({ path }))
}

/** Whether the pause is over before the end. It keeps no process alive. */
function hasPaused(signal: AbortSignal): Promise<boolean> {
  return delay(PAUSE_MS, true, { signal, ref: false }).catch(() => false)
}
