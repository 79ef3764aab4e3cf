import { timeInMs } from '../../../json/time.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import { readSession } from '../../../node/read/read-session.ts'
import { type SessionStatus, sessionStatus } from '../../../selectors/status.ts'
import { TranscriptError } from '../../../session/input/combined.ts'
import type { SessionConversationState } from '../../../state/session.ts'

/** A turn without an end goes on if the session changed since. A tool may take that long without a word. */
const ACTIVE_MS = 15 * 60_000

/** The statuses of sessions. A session is read again after it has changed. */
export class SessionStatuses {
  readonly #known = new Map<string, { readonly updatedAt: string; readonly state: EndedState }>()

  /** Returns the status at that time, in ms since the epoch. Undefined if the session cannot be read. */
  async statusOf({ path, updatedAt = '' }: SessionSummary, now: number): Promise<SessionStatus | undefined> {
    const known = this.#known.get(path)
    const state = known?.updatedAt === updatedAt ? known.state : await endedState(path)
    if (!state) return undefined
    this.#known.set(path, { updatedAt, state })
    const isActive = now - timeInMs(updatedAt) < ACTIVE_MS
    return state.isCut && isActive ? 'running' : state.status
  }
}

/** The facts that are kept of a state that was read to its end. */
interface EndedState {
  readonly status: SessionStatus
  /** Whether the end of the file stopped the turn, and neither the program nor a person did. */
  readonly isCut: boolean
}

async function endedState(path: string): Promise<EndedState | undefined> {
  try {
    const { state } = await readSession(path)
    return { status: sessionStatus(state), isCut: isCut(state) }
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

function isCut({ turn }: SessionConversationState): boolean {
  return turn.openBlocks !== undefined
}
