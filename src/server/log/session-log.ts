import type { SessionEvent } from '../../core/events/event.ts'
import type { Snapshot } from '../sync/snapshot.ts'

/** An event of a session, and its number. The numbers start at 1 and have no gaps. */
export interface LoggedEvent {
  readonly seq: number
  readonly event: SessionEvent
  /** A hash of the session's events up to this one. A log that cannot lose events has none. */
  readonly digest?: string
}

/** The events that a reader has. */
export interface ReadOptions {
  /** The digest of the reader's last event. The log then refuses (`lost-events`) if it has other events up to that number. */
  readonly digest?: string
}

/** The proof that an append is up to date. */
export interface AppendOptions {
  /** The number of the last event that the caller knows: 0 before the first event. */
  readonly expectedSeq: number
  /** The generation of the caller's lease. A producer that has no lease leaves it out. */
  readonly generation?: number
  /** The digest of that event. The log then refuses (`lost-events`) if it has other events up to that number. */
  readonly digest?: string
}

/** Options of a snapshot. */
export interface SnapshotOptions {
  /** The generation of the caller's lease. */
  readonly generation?: number
  /** Whether the log may drop the events that the snapshot contains. The default is no. */
  readonly trim?: boolean
}

/**
 * Keeps the events of many sessions by number, and for each session its newest snapshot and its lease. Several
 * readers and writers may share it: an append names the last number that its caller knows, so no two writers can
 * write the same place.
 *
 * Every method rejects with a `LogError` if the log refuses, and with a `TypeError` or `RangeError` for a wrong
 * argument.
 */
export interface SessionLog {
  /** Only one process writes to it, so an answer that no listener of its hub takes reaches no program. */
  readonly hasOneProcess?: true
  /**
   * Adds events after the expected number, all or none, and returns the number of the last event. It refuses another
   * number (`wrong-seq`), other events up to it (`lost-events`), an older generation (`old-generation`), values that
   * JSON cannot hold (`not-json`) and more than 268,435,456 bytes (`too-large`).
   */
  append(sessionId: string, events: readonly SessionEvent[], options: AppendOptions): Promise<number>
  /**
   * Returns the events after the number that the log has now. It refuses a number before the events that it dropped
   * (`trimmed`), and a number after its last event (`lost-events`).
   */
  read(sessionId: string, afterSeq: number, options?: ReadOptions): AsyncIterable<LoggedEvent>
  /**
   * Like `read`, and then waits for further events until the signal aborts or the log closes. It throws
   * (`lost-events`) as soon as it sees that the log has lost events that it returned.
   */
  follow(
    sessionId: string,
    afterSeq: number,
    options?: ReadOptions & { readonly signal?: AbortSignal },
  ): AsyncIterable<LoggedEvent>
  /**
   * Keeps the snapshot in place of an earlier one. `snapshot.seq` is the number of the last event in it, and
   * `snapshot.epoch` stays as it is. It refuses a snapshot of more events than the log has (`wrong-seq`) or of other
   * ones (`lost-events`, with `snapshot.digest`), and an older generation. An older snapshot than the kept one
   * changes nothing.
   */
  saveSnapshot(sessionId: string, snapshot: Snapshot, options?: SnapshotOptions): Promise<void>
  /** Returns the newest snapshot, or null. A snapshot of other events than the log has is none. The caller checks it with `restore`. */
  loadSnapshot(sessionId: string): Promise<Snapshot | null>
  /**
   * Gives the lease of a session to the owner for that many milliseconds, and returns its generation. Each new lease
   * has a greater generation. The owner of a lease extends it with the same call, and its generation stays. Returns
   * null while another owner has the lease.
   *
   * An owner's name belongs to one process: a restarted process takes another name.
   */
  acquire(sessionId: string, owner: string, options: { readonly leaseMs: number }): Promise<number | null>
  /** Ends the lease of that generation. An older generation changes nothing. */
  release(sessionId: string, generation: number): Promise<void>
  /** Returns the ids of the sessions that the log keeps, in no order. A session that comes or goes meanwhile may be left out. */
  sessions(): AsyncIterable<string>
  /** Removes the events, the snapshot and the lease of a session. A `follow` that has returned events of it throws (`lost-events`). */
  delete(sessionId: string): Promise<void>
  /** Ends every `follow`, and releases files and connections. Later calls are refused (`closed`). */
  close(): Promise<void>
}
