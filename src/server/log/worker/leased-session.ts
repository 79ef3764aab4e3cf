import { omitUndefined } from '../../../core/json/fields.ts'
import { createInitialConversationState, type SessionConversationState } from '../../../core/state/session.ts'
import { before, pause, until } from '../../signals.ts'
import { type PlacedState, restore, snapshot } from '../../sync/snapshot.ts'
import { advance, BATCH, StartOverWatch } from '../advance.ts'
import { checkOwner, NO_EPOCH, nameOf } from '../arguments.ts'
import { lostEvents, oldGeneration, within } from '../log-error.ts'
import type { LoggedEvent, ReadOptions, SessionLog } from '../session-log.ts'

/** An error of `onState` or of a snapshot that this library cannot read. Another try does not help. */
export class FinalError extends Error {}

/** A session whose lease this worker has. */
export class LeasedSession {
  readonly #log: SessionLog
  readonly #id: string
  readonly #generation: number
  readonly #settings: WorkerSettings
  readonly #ending = new AbortController()
  readonly #signs = new StartOverWatch()
  #place: PlacedState
  #savedSeq = 0
  /** The last number at the last time that the lease was extended. */
  #quietSeq = -1

  constructor(log: SessionLog, id: string, generation: number, settings: WorkerSettings) {
    this.#log = log
    this.#id = id
    this.#generation = generation
    this.#settings = settings
    this.#place = { state: createInitialConversationState(), epoch: NO_EPOCH, seq: 0 }
  }

  end(): void {
    this.#ending.abort()
  }

  /** Folds the session until it ends. Rejects with a `LogError` (`old-generation`) if another owner has the lease. */
  async run(onCaughtUp: () => void): Promise<void> {
    const folding = this.#fold(onCaughtUp)
    const parts = [folding, this.#keepLease()].map((part) => part.finally(() => this.end()))
    for (const result of await Promise.allSettled(parts))
      if (result.status === 'rejected') throw result.reason
    await this.#save()
  }

  release(): Promise<void> {
    return within(this.#settings.leaseMs, this.#log.release(this.#id, this.#generation))
  }

  async #fold(onCaughtUp: () => void): Promise<void> {
    await this.#load()
    await this.#catchUp()
    if (this.#ending.signal.aborted) return
    await this.#report()
    onCaughtUp()
    const { signal } = this.#ending
    const options = { signal, ...this.#digest }
    // A log of somebody else may ignore the signal.
    const events = until(signal, this.#log.follow(this.#id, this.#place.seq, options))
    for await (const logged of events) {
      await this.#add([logged])
      await this.#report()
      await this.#saveSometimes()
    }
  }

  async #load(): Promise<void> {
    const saved = await before(this.#ending.signal, this.#log.loadSnapshot(this.#id))
    if (!saved) return
    try {
      this.#place = restore(saved)
    } catch (cause) {
      throw new FinalError('', { cause })
    }
    this.#savedSeq = this.#place.seq
  }

  /** Reads in batches, because a batch is folded faster than its events one by one. */
  async #catchUp(): Promise<void> {
    let batch: LoggedEvent[] = []
    const events = this.#log.read(this.#id, this.#place.seq, this.#digest)
    for await (const logged of until(this.#ending.signal, events)) {
      batch.push(logged)
      if (batch.length === BATCH) {
        await this.#add(batch)
        await this.#saveSometimes()
        batch = []
      }
      if (this.#ending.signal.aborted) return
    }
    await this.#add(batch)
  }

  get #digest(): ReadOptions {
    return omitUndefined({ digest: this.#place.digest })
  }

  async #add(logged: readonly LoggedEvent[]): Promise<void> {
    const mayStartOver = logged.filter((each) => this.#signs.take(each)).length > 0
    if (mayStartOver && (await this.#hasOtherName()))
      throw lostEvents(this.#id, this.#place.seq, this.#place.seq)
    this.#place = advance(this.#place, logged)
  }

  async #hasOtherName(): Promise<boolean> {
    const saved = await before(this.#ending.signal, this.#log.loadSnapshot(this.#id))
    return saved?.epoch !== undefined && saved.epoch !== this.#place.epoch
  }

  async #report(): Promise<void> {
    const { state, seq } = this.#place
    try {
      await this.#settings.onState({ sessionId: this.#id, state, seq, generation: this.#generation })
    } catch (cause) {
      throw new FinalError('', { cause })
    }
  }

  async #saveSometimes(): Promise<void> {
    if (this.#place.seq - this.#savedSeq >= this.#settings.snapshotEvery)
      await before(this.#ending.signal, this.#save())
  }

  async #save(): Promise<void> {
    if (this.#place.seq === this.#savedSeq || this.#signs.isAfterSign) return
    const { trim, leaseMs } = this.#settings
    const epoch = this.#place.epoch || (await within(leaseMs, nameOf(this.#log, this.#id)))
    const place = { ...this.#place, epoch }
    this.#place = place
    const options = { generation: this.#generation, trim }
    await within(leaseMs, this.#log.saveSnapshot(this.#id, snapshot(place), options))
    this.#savedSeq = place.seq
  }

  /** Extends the lease three times in its time, so that one late call loses nothing. */
  async #keepLease(): Promise<void> {
    const { owner, leaseMs } = this.#settings
    for (;;) {
      await pause(leaseMs / 3, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      const extended = within(leaseMs, this.#log.acquire(this.#id, owner, { leaseMs }))
      const generation = await before(this.#ending.signal, extended)
      if (this.#ending.signal.aborted) return
      if (generation !== this.#generation)
        throw oldGeneration(this.#id, generation || this.#generation + 1, this.#generation)
      if (this.#place.seq === this.#quietSeq) await this.#save()
      this.#quietSeq = this.#place.seq
    }
  }
}

/** A session's state, as the owner of its lease folded it. */
export interface WorkerUpdate {
  readonly sessionId: string
  readonly state: SessionConversationState
  /** The number of the last event in the state. It is smaller than before if the log has lost events. */
  readonly seq: number
  /** The generation of the lease. Pass it on with each write of your own, so that an older owner can be refused. */
  readonly generation: number
}

/** Options of a worker. */
export interface SessionWorkerOptions {
  /** The worker's name. No other process has it, and a restarted process takes another one. */
  readonly owner: string
  /**
   * The ids of the sessions that the worker takes as soon as their leases are free. An async iterable may bring
   * further ones later, and ends with the signal.
   */
  readonly sessions: Iterable<string> | AsyncIterable<string>
  /** How long a lease lasts without being extended, in milliseconds. Another worker takes over a dead worker's sessions after that time. */
  readonly leaseMs: number
  /** Ends the worker. */
  readonly signal: AbortSignal
  /**
   * Called with the state when the worker has taken a session, and after events. The worker waits for it before it goes
   * on with the session.
   */
  readonly onState?: (update: WorkerUpdate) => void | Promise<void>
  /** The most sessions that the worker has at the same time. By default there is no limit. */
  readonly maxSessions?: number
  /** The events after which the worker saves a snapshot. The default is 200. It also saves one when a session is quiet, and at the end. */
  readonly snapshotEvery?: number
  /** Whether the log may drop the events of a snapshot. The default is no. */
  readonly trim?: boolean
}

/** The options with their defaults. */
export type WorkerSettings = Required<Omit<SessionWorkerOptions, 'sessions' | 'signal'>>

/** Throws a `TypeError` or `RangeError` for a wrong option. */
export function settingsOf({
  owner,
  leaseMs,
  onState = () => {},
  maxSessions = Number.POSITIVE_INFINITY,
  snapshotEvery = 200,
  trim = false,
}: SessionWorkerOptions): WorkerSettings {
  checkOwner(owner, leaseMs)
  if (!(maxSessions >= 1)) throw new RangeError('maxSessions: pass 1 or more')
  if (!(snapshotEvery >= 1)) throw new RangeError('snapshotEvery: pass 1 or more')
  return { owner, leaseMs, onState, maxSessions, snapshotEvery, trim }
}
