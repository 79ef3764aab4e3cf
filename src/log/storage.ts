import type { SessionEvent } from '../events/event.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import type { Lease } from './lease.ts'
import type { LoggedEvent } from './session-log.ts'

/** Keeps one session for a `LocalLog`, which makes the checks and calls one method at a time. */
export interface SessionStorage {
  /** The number of the last event. */
  readonly lastSeq: number
  /** The number of the last event that was dropped, 0 if none was. */
  readonly droppedSeq: number
  readonly lease: Lease
  /** Adds the events, all or none. */
  append(events: readonly SessionEvent[]): Promise<void>
  /** Returns the events after the number, which is at least `droppedSeq`, up to the last event at the time of the call. */
  events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>>
  saveLease(lease: Lease): Promise<void>
  saveSnapshot(snapshot: Snapshot): Promise<void>
  loadSnapshot(): Promise<Snapshot | null>
  /** Drops events up to the number. It may keep some of them. */
  drop(upToSeq: number): Promise<void>
}
