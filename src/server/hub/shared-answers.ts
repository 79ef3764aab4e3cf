import { pendingRequests } from '../../core/selectors/requests.ts'
import type { SessionLog } from '../log/session-log.ts'
import {
  answeredOffer,
  type HubReply,
  type MaybeRequest,
  notPending,
  offerOf,
  replyOfAnswer,
  withdrawalEvent,
} from './answered-request.ts'
import { HubError } from './hub-error.ts'
import { type HubSession, isOutdated } from './hub-session.ts'

/** The time in which another hub of the log takes an answer, in ms. */
const TAKE_MS = 5000

/** A session that several hubs share. */
interface SharedSession {
  readonly log: SessionLog
  readonly sessionId: string
  readonly sessionOf: () => HubSession
}

interface WatchOptions extends SharedSession {
  readonly signal: AbortSignal
  readonly onReply: (reply: HubReply) => void
}

/**
 * Takes each answer that another hub offers in the same log, and calls `onReply` with it and with each answer that
 * another hub publishes, until the signal aborts. This hub is the one that has the program. The program's own reports
 * are events that this hub has written.
 */
export async function watchAnswers({
  log,
  sessionId,
  sessionOf,
  signal,
  onReply,
}: WatchOptions): Promise<void> {
  const reply = (value: HubReply | undefined): void => {
    if (value && !signal.aborted) onReply(value)
  }
  while (!signal.aborted) {
    const { seq, state } = await sessionOf().current()
    for (const { block } of pendingRequests(state)) reply(await takeOffer(sessionOf(), block))
    try {
      for await (const logged of log.follow(sessionId, seq, { signal })) {
        const { event } = logged
        if (event.type !== 'block:upsert' || event.block.type !== 'request') continue
        if (await sessionOf().hasWritten(logged.seq)) continue
        if (event.block.status === 'pending') reply(await takeOffer(sessionOf(), event.block))
        else reply(replyOfAnswer((await sessionOf().current()).state, event))
      }
      return
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
  }
}

/** Publishes the answer that is offered for the request. Returns its reply, or undefined if there is no such offer. */
async function takeOffer(session: HubSession, request: MaybeRequest): Promise<HubReply | undefined> {
  const offer = offerOf(request)
  if (!offer) return undefined
  try {
    const { reply } = await session.answer(({ state }) => answeredOffer(state, request.id, offer.id))
    return reply
  } catch (error) {
    if (error instanceof HubError && error.code === 'not-pending') return undefined
    throw error
  }
}

interface OfferOptions extends SharedSession {
  readonly requestId: string
  readonly offerId: string
  /** The number of the event with the offer. */
  readonly seq: number
}

/** Resolves when another hub has taken the offer. Rejects with a `HubError` if another answer wins, or nobody takes it. */
export async function takenOffer(options: OfferOptions): Promise<void> {
  const { log, sessionId, sessionOf, requestId, offerId, seq } = options
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), TAKE_MS)
  try {
    for await (const { event } of log.follow(sessionId, seq, { signal: ended.signal })) {
      if (event.type !== 'block:upsert' || event.block.id !== requestId) continue
      if (event.block.status === 'pending') throw notPending(requestId)
      return
    }
  } finally {
    clearTimeout(timer)
  }
  await sessionOf().answer(({ state }) => ({ event: withdrawalEvent(state, requestId, offerId) }))
  throw nobodyTook(sessionId)
}

/** No hub has the program. */
export function nobodyTook(sessionId: string): HubError {
  return new HubError('no-answer-taken', `${sessionId}: no program takes answers: call hub.onReply`)
}
