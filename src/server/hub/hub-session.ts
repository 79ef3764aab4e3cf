import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import { advance, BATCH, STARTS_OVER, StartOverWatch } from '../log/advance.ts'
import { NO_EPOCH, nameOf } from '../log/arguments.ts'
import { isLogError } from '../log/log-error.ts'
import type { LoggedEvent, SessionLog } from '../log/session-log.ts'
import { type PlacedState, restore, snapshot } from '../sync/snapshot.ts'
import { areAnswers } from './answered-request.ts'
import { type Place, placeAt, SessionFeed } from './session-feed.ts'

/** The events after which a snapshot is saved. A log that may drop events keeps at least as many. */
const SNAPSHOT_EVERY = 2000

/** The most events after a snapshot that a reader still gets. It is fewer than a log keeps. */
const OLDEST_SENT = 256

/** A snapshot that readers take now. It keeps no state. */
interface SentSnapshot {
  readonly place: Place
  readonly text: string
  readers: number
  readonly release: () => void
}

/** Returns the events that follow a state. */
type EventsAfter = (before: SessionConversationState) => readonly SessionEvent[]

interface HubSessionOptions {
  /** Whether the log may drop events that a snapshot has. */
  readonly trim: boolean
  /** Gets each state that the session reaches, and undefined when it is deleted. */
  readonly onState: (state: SessionConversationState | undefined) => void
}

/** A session of a log with its state. Its calls run one after the other. */
export class HubSession {
  readonly #log: SessionLog
  readonly #id: string
  readonly #trim: boolean
  readonly #onState: HubSessionOptions['onState']
  /** The events for readers. */
  readonly feed: SessionFeed
  /** The function that ends each reader. */
  readonly #readers = new Set<() => void>()
  readonly #signs = new StartOverWatch()
  #placed: PlacedState | undefined
  /** The last state that `onState` got. */
  #shown: SessionConversationState | undefined
  /** The numbers after which this hub has appended, and up to which: another hub has written the others. */
  readonly #own: { readonly after: number; readonly upTo: number }[] = []
  /** The next state to save. It is older than the last one, so that a log that drops its events keeps the later ones for readers. */
  #unsaved: PlacedState | undefined
  #last: Promise<unknown> = Promise.resolve()
  /** The last call, if it only reads the state and has not begun. */
  #nextState: Promise<PlacedState> | undefined
  /** The calls that run. */
  #calls = 0
  #sent: SentSnapshot | undefined

  constructor(log: SessionLog, id: string, { trim, onState }: HubSessionOptions) {
    this.#log = log
    this.#id = id
    this.#trim = trim
    this.#onState = onState
    this.feed = new SessionFeed(log, id)
  }

  /** Whether no call runs and nobody reads, so that the session may be forgotten. */
  get isIdle(): boolean {
    return this.#calls === 0 && this.#readers.size === 0
  }

  /** A session with readers is the only one of its id, so that all see the same changes. */
  addReader(end: () => void): void {
    this.#readers.add(end)
  }

  removeReader(end: () => void): void {
    this.#readers.delete(end)
  }

  /** Returns the state of all events that the log has now. Readers that come together share one reading: a writer waits for each. */
  current(): Promise<PlacedState> {
    const shared =
      this.#nextState ??
      this.#inTurn(() => {
        this.#nextState = undefined
        return this.#catchUp()
      })
    this.#nextState = shared
    return shared
  }

  /** Appends events, or those of the state before them, and returns the number of the last one. */
  append(events: readonly SessionEvent[] | EventsAfter): Promise<number> {
    return this.#inTurn(() => this.#append(typeof events === 'function' ? events : () => events))
  }

  /** Appends the events that `work` makes of the newest state. If two answers come at once, the later one sees the first. */
  answer<Answered extends { readonly events: readonly SessionEvent[] }>(
    work: (placed: PlacedState) => Answered | Promise<Answered>,
  ): Promise<Answered> {
    return this.#inTurn(async () => {
      for (;;) {
        const answered = await work(await this.#catchUp())
        try {
          await this.#appendOnce(() => answered.events)
          return answered
        } catch (error) {
          if (!isWrongSeq(error)) throw error
        }
      }
    })
  }

  /** Whether this hub has appended the event with the number. Calls that run now are waited for. */
  hasWritten(seq: number): Promise<boolean> {
    return this.#inTurn(async () => this.#own.some(({ after, upTo }) => seq > after && seq <= upTo))
  }

  /** Replaces the state by that of the events that `work` makes of it, and the name of the log by a new one. */
  startOver(work: (state: SessionConversationState) => readonly SessionEvent[]): Promise<number> {
    return this.#inTurn(async () => {
      const before = await this.#catchUp()
      const events = work(before.state)
      if (before.seq === 0) return this.#append(() => events)
      await this.#append(() => [STARTS_OVER])
      const { seq, digest } = await this.#catchUp()
      const state = reduceSessionEvents(createInitialConversationState(), events)
      const placed = { state, epoch: crypto.randomUUID(), seq, ...omitUndefined({ digest }) }
      this.#unsaved = undefined
      await this.#log.saveSnapshot(this.#id, snapshot(placed), { trim: true })
      this.#placed = placed
      this.#show(placed)
      return this.#append(() => [STARTS_OVER])
    })
  }

  /** Deletes the session, and ends its readers. A log does not tell those that have no event of it yet. */
  delete(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#log.delete(this.#id)
      this.#placed = undefined
      this.#unsaved = undefined
      this.#shown = undefined
      this.#onState(undefined)
      for (const end of this.#readers) end()
    })
  }

  /**
   * Returns the snapshot for a reader. Readers share one text while one of them still takes it, and the later ones get
   * the next events from the log. With a text of its own, each slow reader would hold a whole session. Call `release`
   * when the reader has taken it.
   */
  snapshotFor(placed: PlacedState, { mayBeOlder }: { readonly mayBeOlder: boolean }): SentSnapshot {
    const { epoch, seq, digest } = placed
    const oldest = mayBeOlder ? seq - OLDEST_SENT : seq
    const found = this.#sent
    if (found && found.place.epoch === epoch && found.place.seq >= oldest && found.place.seq <= seq) {
      found.readers += 1
      return found
    }
    const place = placeAt({ seq, ...omitUndefined({ digest }) }, epoch)
    const release = (): void => {
      sent.readers -= 1
      if (sent.readers === 0 && this.#sent === sent) this.#sent = undefined
    }
    const sent: SentSnapshot = { place, text: JSON.stringify(snapshot(placed)), readers: 1, release }
    this.#sent = sent
    return sent
  }

  /** An answer of another hub is no other writer: the program's hub goes on after it. */
  async #append(eventsAfter: EventsAfter): Promise<number> {
    for (;;) {
      const before = this.#placed
      try {
        return await this.#appendOnce(eventsAfter)
      } catch (error) {
        if (!before || !isWrongSeq(error) || !(await this.#hasOnlyAnswersAfter(before))) throw error
      }
    }
  }

  async #hasOnlyAnswersAfter({ seq, digest }: PlacedState): Promise<boolean> {
    const events: SessionEvent[] = []
    for await (const { event } of this.#log.read(this.#id, seq, omitUndefined({ digest }))) events.push(event)
    return events.length > 0 && areAnswers(events)
  }

  async #appendOnce(eventsAfter: EventsAfter): Promise<number> {
    const found = this.#placed ?? (await this.#catchUp())
    const events = eventsAfter(found.state)
    // A name would bring a deleted session back.
    if (events.length === 0) return found.seq
    const placed = await this.#named(found)
    const { seq: expectedSeq, digest } = placed
    try {
      // First, so that a call that rejects for the snapshot has appended nothing.
      await this.#saveSometimes(placed)
      const seq = await this.#log.append(this.#id, events, { expectedSeq, ...omitUndefined({ digest }) })
      this.#noteOwn(expectedSeq, seq)
      // The log has the events, so a failure now is one of the next call.
      await this.#catchUp().catch(() => this.#forgetPlace())
      return seq
    } catch (error) {
      this.#forgetPlace()
      throw error
    }
  }

  /** Joins ranges, so that a session that this hub alone writes has one. */
  #noteOwn(after: number, upTo: number): void {
    const last = this.#own.at(-1)
    if (last?.upTo === after) this.#own.splice(-1, 1, { after: last.after, upTo })
    else this.#own.push({ after, upTo })
  }

  #show({ state, seq }: PlacedState): void {
    if (state === this.#shown || seq === 0) return
    this.#shown = state
    this.#onState(state)
  }

  /** The next call looks at the log again. */
  #forgetPlace(): void {
    this.#placed = undefined
  }

  async #catchUp(): Promise<PlacedState> {
    try {
      return await this.#fold(this.#placed ?? (await this.#load()))
    } catch (error) {
      if (!this.#placed || !isOutdated(error)) throw error
      this.#placed = undefined
      return this.#fold(await this.#load())
    }
  }

  async #load(): Promise<PlacedState> {
    const saved = await this.#log.loadSnapshot(this.#id)
    if (saved) return restore(saved)
    return { state: createInitialConversationState(), epoch: NO_EPOCH, seq: 0 }
  }

  async #fold(start: PlacedState): Promise<PlacedState> {
    let placed = start
    let batch: LoggedEvent[] = []
    let mayStartOver = false
    for await (const logged of this.#log.read(this.#id, start.seq, omitUndefined({ digest: start.digest }))) {
      mayStartOver = this.#signs.take(logged) || mayStartOver
      batch.push(logged)
      if (batch.length < BATCH) continue
      placed = advance(placed, batch)
      batch = []
    }
    placed = advance(placed, batch)
    const saved = mayStartOver ? await this.#load() : placed
    if (saved.epoch !== placed.epoch) return this.#fold(saved)
    this.#placed = placed.seq > 0 ? await this.#named(placed) : placed
    if (placed.seq === 0 && this.#shown) {
      // Another process has deleted the session.
      this.#shown = undefined
      this.#onState(undefined)
    }
    this.#show(this.#placed)
    return this.#placed
  }

  /** Gives the log a name unless somebody has. The name is in its snapshot, so it survives a restart of the server. */
  async #named(placed: PlacedState): Promise<PlacedState> {
    if (placed.epoch !== NO_EPOCH) return placed
    const named = { ...placed, epoch: await nameOf(this.#log, this.#id) }
    await this.#log.saveSnapshot(this.#id, snapshot(named))
    this.#placed = named
    return named
  }

  async #saveSometimes(placed: PlacedState): Promise<void> {
    this.#unsaved ??= placed
    if (placed.seq - this.#unsaved.seq < SNAPSHOT_EVERY) return
    const saved = this.#unsaved
    this.#unsaved = placed
    await this.#log.saveSnapshot(this.#id, snapshot(saved), { trim: this.#trim })
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const call = this.#last.then(work)
    this.#nextState = undefined
    this.#calls += 1
    this.#last = call
      .catch(() => {})
      .finally(() => {
        this.#calls -= 1
      })
    return call
  }
}

/** Whether somebody else has written the session. */
function isWrongSeq(error: unknown): boolean {
  return isLogError(error, ['wrong-seq'])
}

/** Whether the log has other events than its reader has, or has dropped the ones that follow. */
export function isOutdated(error: unknown): boolean {
  return isLogError(error, ['trimmed', 'lost-events'])
}
