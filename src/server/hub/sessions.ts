import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionLog } from '../log/session-log.ts'
import { HubSession } from './hub-session.ts'

/** The most sessions whose states stay in memory while nothing happens to them. */
const KEPT_SESSIONS = 256

interface SessionsOptions {
  readonly trim: boolean
  readonly onState: (sessionId: string, state: SessionConversationState | undefined) => void
}

/** The sessions that somebody has used, the last ones at the end. */
export class Sessions {
  readonly #log: SessionLog
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, HubSession>()

  constructor(log: SessionLog, options: SessionsOptions) {
    this.#log = log
    this.#options = options
  }

  get(sessionId: string): HubSession {
    const session = this.#sessions.get(sessionId) ?? this.#open(sessionId)
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    for (const [oldest, { isIdle }] of this.#sessions) {
      if (this.#sessions.size <= KEPT_SESSIONS) break
      if (isIdle && oldest !== sessionId) this.#sessions.delete(oldest)
    }
    return session
  }

  #open(sessionId: string): HubSession {
    const { trim, onState } = this.#options
    return new HubSession(this.#log, sessionId, { trim, onState: (state) => onState(sessionId, state) })
  }
}

/** The caller of a listener waits for the promise that it returns. */
export type Listener<Value> = ((value: Value) => void) | ((value: Value) => Promise<void>)

/** The listeners of each session. */
export class SessionListeners<Value> {
  readonly #listeners = new Map<string, Set<(value: Value) => Promise<void>>>()

  /** Returns a function that ends the subscription. Its calls that still run then reject. */
  add(sessionId: string, listener: Listener<Value>): () => void {
    const running = new Set<() => void>()
    const own = (value: Value): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(new Error('the listener was taken away'))
        running.add(end)
        const call = async (): Promise<void> => listener(value)
        void call()
          .then(resolve, reject)
          .finally(() => running.delete(end))
      })
    const all = this.#listeners.get(sessionId) ?? new Set()
    this.#listeners.set(sessionId, all.add(own))
    return () => {
      all.delete(own)
      // A listener may end itself as its last step.
      setTimeout(() => {
        for (const end of running) end()
      })
      if (all.size === 0 && this.#listeners.get(sessionId) === all) this.#listeners.delete(sessionId)
    }
  }

  has(sessionId: string): boolean {
    return this.#listeners.has(sessionId)
  }

  /** Calls every listener of the session at once, and resolves when all are done. Rejects with what the first one that fails throws. */
  async call(sessionId: string, value: Value): Promise<void> {
    const calls = [...(this.#listeners.get(sessionId) ?? [])].map((listener) => listener(value))
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}
