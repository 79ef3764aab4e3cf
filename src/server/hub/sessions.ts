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
      if (isIdle) this.#sessions.delete(oldest)
    }
    return session
  }

  #open(sessionId: string): HubSession {
    const { trim, onState } = this.#options
    return new HubSession(this.#log, sessionId, { trim, onState: (state) => onState(sessionId, state) })
  }
}
