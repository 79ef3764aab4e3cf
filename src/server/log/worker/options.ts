import type { SessionConversationState } from '../../../core/state/session.ts'
import { checkOwner } from '../arguments.ts'

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
