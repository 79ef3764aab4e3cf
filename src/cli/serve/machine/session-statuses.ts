import { timeInMs } from '../../../core/json/order.ts'
import { reduceSessionEvents } from '../../../core/reducer/reduce.ts'
import { type SessionStatus, sessionStatus } from '../../../core/selectors/status.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import { readSession } from '../../../node/read/read-session.ts'
import { TranscriptError } from '../../../reading/input/combined.ts'

/** A turn or an agent without an end goes on if the session changed since. A tool may take that long without a word. */
const ACTIVE_MS = 15 * 60_000

/** An agent in the background may work for so long while the file of its session does not change. */
const LONGEST_WORK_MS = 24 * 60 * 60_000

/** The statuses of sessions. A session is read again after it has changed, and while its agents may work on. */
export class SessionStatuses {
  readonly #known = new Map<string, { readonly updatedAt: string; readonly state: EndedState }>()

  /** Returns the status at that time, in ms since the epoch. Undefined if the session cannot be read. */
  async statusOf(
    { path, updatedAt = '' }: Pick<SessionSummary, 'path' | 'updatedAt'>,
    now: number,
  ): Promise<SessionStatus | undefined> {
    const known = this.#known.get(path)
    const mayWork =
      known && known.state.openStatus !== known.state.status && now - known.state.lastAt < LONGEST_WORK_MS
    const state = known?.updatedAt === updatedAt && !mayWork ? known.state : await endedState(path)
    if (!state) return undefined
    this.#known.set(path, { updatedAt, state })
    const lastAt = Math.max(timeInMs(updatedAt) || 0, state.lastAt)
    return now - lastAt < ACTIVE_MS ? state.openStatus : state.status
  }
}

/** The facts that are kept of a state that was read to its end. */
interface EndedState {
  readonly status: SessionStatus
  /** The status if the turn and the agents go on that the end of the file stopped, and neither the program nor a person did. */
  readonly openStatus: SessionStatus
  /** The last time in a conversation of the session, in ms since the epoch. 0 if they have none. */
  readonly lastAt: number
}

async function endedState(path: string): Promise<EndedState | undefined> {
  try {
    const { state } = await readSession(path)
    return {
      status: sessionStatus(state),
      openStatus: sessionStatus(continued(state)),
      lastAt: lastTime(state),
    }
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

function continued(state: SessionConversationState): SessionConversationState {
  const agents = state.subagents.map(
    ({ toolUseId }) => ({ type: 'subagent:resumed', toolUseId, continues: true }) as const,
  )
  return reduceSessionEvents(state, [{ type: 'session:running', continues: true }, ...agents])
}

function lastTime(state: SessionConversationState): number {
  const times = [state, ...state.subagents].map(({ blocks }) => timeInMs(blocks.at(-1)?.timestamp ?? ''))
  return times.reduce((last, time) => (time > last ? time : last), 0)
}
