import { setTimeout as delay } from 'node:timers/promises'
import type { SessionEvent } from '../../core/events/event.ts'
import type { FollowedUpdate, SessionHub } from '../../server/hub/session-hub.ts'
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

interface TitleOptions {
  /** The path of the session. */
  readonly path: string
  /** Ends the looks. */
  readonly signal: AbortSignal
}

/** The time between two looks, in ms. */
const PAUSE_MS = 5000

/** Gives the session its later titles: a program or a person may name it long after its start, and in another file. */
export async function followTitle(
  writer: Pick<SessionWriter, 'rename'>,
  { path, signal }: TitleOptions,
): Promise<void> {
  while (await hasPaused(signal)) writer.rename(await titleOf({ path }))
}

/** Whether the pause is over before the end. It keeps no process alive. */
function hasPaused(signal: AbortSignal): Promise<boolean> {
  return delay(PAUSE_MS, true, { signal, ref: false }).catch(() => false)
}
