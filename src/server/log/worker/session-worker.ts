import { before, onAbort, ownSignals, pause } from '../../signals.ts'
import { isLogError, type LogErrorCode, within } from '../log-error.ts'
import type { SessionLog } from '../session-log.ts'
import {
  FinalError,
  LeasedSession,
  type SessionWorkerOptions,
  settingsOf,
  type WorkerSettings,
} from './leased-session.ts'

/**
 * Shares sessions with other workers. It takes the lease of each session as soon as it is free, and folds the events
 * onto the newest snapshot. It saves snapshots under the lease's generation, and gives a session up if another owner
 * has its lease. At the end it saves the states, releases the leases, and resolves.
 *
 * A worker may be killed at any moment: another one goes on from the last snapshot. If the log fails, the worker
 * tries again for `leaseMs` and then rejects with the log's error. If the log has lost events, the worker folds the
 * session again. It rejects at once with an error of `onState` or of `sessions`, and for a session that is damaged.
 * It rejects with a `TypeError` or `RangeError` for a wrong option.
 */
export async function runSessionWorker(log: SessionLog, options: SessionWorkerOptions): Promise<void> {
  const worker = new SessionWorker(log, settingsOf(options))
  const { signal, sessions } = options
  const stop = onAbort(signal, () => worker.end())
  try {
    await worker.run(sessions)
  } finally {
    stop()
  }
}

class SessionWorker {
  readonly #log: SessionLog
  readonly #settings: WorkerSettings
  readonly #places: Places
  readonly #ending = new AbortController()
  readonly #nextSignal = ownSignals(this.#ending.signal)
  readonly #sessions = new Map<string, Promise<void>>()
  #failure: { readonly error: unknown } | undefined

  constructor(log: SessionLog, settings: WorkerSettings) {
    this.#log = log
    this.#settings = settings
    this.#places = new Places(settings.maxSessions)
  }

  end(): void {
    this.#ending.abort()
  }

  async run(sessions: SessionWorkerOptions['sessions']): Promise<void> {
    await this.#takeAll(sessions).catch((error: unknown) => this.#fail(error))
    await new Promise<void>((resolve) => onAbort(this.#ending.signal, resolve))
    await Promise.all(this.#sessions.values())
    if (this.#failure) throw this.#failure.error
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.end()
  }

  async #takeAll(sessions: SessionWorkerOptions['sessions']): Promise<void> {
    const ids =
      Symbol.asyncIterator in sessions ? sessions[Symbol.asyncIterator]() : sessions[Symbol.iterator]()
    for (;;) {
      const next = await before(this.#ending.signal, Promise.resolve(ids.next()))
      if (!next || next.done) return
      const id = next.value
      if (!this.#sessions.has(id))
        this.#sessions.set(
          id,
          this.#work(id).catch((error: unknown) => this.#fail(error)),
        )
    }
  }

  /** Tries to have the session until the worker ends. */
  async #work(id: string): Promise<void> {
    const { leaseMs } = this.#settings
    const signal = this.#nextSignal()
    let failingSince: number | undefined
    while (!signal.aborted) {
      try {
        await this.#hold(id, signal, () => {
          failingSince = undefined
        })
      } catch (error) {
        failingSince ??= Date.now()
        if (signal.aborted || isFinal(error) || Date.now() - failingSince > leaseMs) throw causeOf(error)
      }
      await pause(leaseMs / 3, signal)
    }
  }

  /** Has the session until another owner has it or the worker ends. */
  async #hold(id: string, signal: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const leave = await before(signal, this.#places.enter())
    if (!leave) return
    try {
      const { owner, leaseMs } = this.#settings
      // A lease that comes after the end is not used, and ends after its time.
      const acquired = within(leaseMs, this.#log.acquire(id, owner, { leaseMs }))
      const generation = await before(signal, acquired)
      if (generation)
        await this.#fold(new LeasedSession(this.#log, id, generation, this.#settings), signal, onCaughtUp)
    } finally {
      leave()
    }
  }

  async #fold(session: LeasedSession, signal: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const stop = onAbort(signal, () => session.end())
    try {
      await session.run(onCaughtUp)
    } catch (error) {
      // If the log fails here too, the lease ends after its time.
      await session.release().catch(() => {})
      if (isLost(error)) return
      throw error
    } finally {
      stop()
    }
    await session.release()
  }
}

function isLost(error: unknown): boolean {
  return isLogError(error, ['old-generation'])
}

/** Another try may end these: a silent log answers again, or there is a newer snapshot. After lost events, the log has an earlier one. */
const TEMPORARY: readonly LogErrorCode[] = ['trimmed', 'wrong-seq', 'lost-events', 'silent']

/** Whether another try gives the same error. */
function isFinal(error: unknown): boolean {
  if (isLogError(error)) return !isLogError(error, TEMPORARY)
  return error instanceof FinalError
}

function causeOf(error: unknown): unknown {
  return error instanceof FinalError ? error.cause : error
}

/** A limited number of places, which are given in the order of the calls. */
class Places {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** Resolves with a function that gives the place back. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return () => this.#leave()
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
