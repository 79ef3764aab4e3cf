import { asString } from '../core/json/values.ts'
import { findRequest } from '../core/selectors/requests.ts'
import type { RequestAnswer } from '../core/state/request.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { programOf } from '../programs/all.ts'
import type { Architecture } from '../programs/program.ts'
import { acpReply } from './acp/requests.ts'
import { claudeReply } from './claude/requests/known-requests.ts'
import { codexReply } from './codex/requests/translate-request.ts'
import { copilotReply } from './copilot/requests.ts'
import {
  type Decided,
  type MakeReply,
  noAnswerTaken,
  type PersonDecision,
  RequestError,
  type RequestReply,
} from './kit/request-reply.ts'
import { opencodeReply } from './opencode/requests.ts'
import { piReply } from './pi/requests.ts'
import { qwenReply } from './qwen/requests.ts'

/** The replies of each wire that takes answers. */
const REPLIES: { readonly [Name in Architecture]?: MakeReply } = {
  'claude-sdk': claudeReply,
  opencode: opencodeReply,
  codex: codexReply,
  pi: piReply,
  qwen: qwenReply,
  acp: acpReply,
  copilot: copilotReply,
}

/**
 * Returns the answer to an open request as its program takes it. `answer` is the id of an option, the chosen labels
 * of each question, or a decision with further facts. Nothing is sent, and the state stays as it is until the program
 * reports the answer. Throws a `RequestError` that says why there is no reply.
 *
 * @example
 * ```ts
 * answerRequest(state, 'r1', 'allow') // { type: 'message', message: { type: 'control_response', … } }
 * answerRequest(state, 'r1', { denied: true, comment: 'Use another file.' })
 * ```
 */
export function answerRequest(
  state: SessionConversationState,
  requestId: string,
  answer: RequestAnswer | PersonDecision,
): RequestReply {
  const request = findRequest(state, requestId)
  if (!request)
    throw new RequestError(
      'unknown-request',
      `${asString(requestId) ?? typeof requestId}: no conversation has this request`,
    )
  if (request.status !== 'pending')
    throw new RequestError('not-pending', `${requestId}: the request was answered or withdrawn`)
  const decided = { request, state, decision: isDecision(answer) ? answer : { answer } }
  return replyOf(decided)(decided)
}

function isDecision(answer: RequestAnswer | PersonDecision): answer is PersonDecision {
  return typeof answer === 'object' && !Array.isArray(answer)
}

/** The wires whose processes count their requests from 0. On the others, no two requests have one id. */
const COUNTED: ReadonlySet<Architecture> = new Set(['acp', 'codex'])

/**
 * Returns how a program's open requests survive the end of its output. A request at a server stays open. The others end
 * with the connection. Their ids are then free for the same requests, or stay taken, because other requests may have them.
 */
export function requestIdsAfterOutput(state: SessionConversationState): 'open' | 'free' | 'taken' {
  const wire = wireOf(state)
  if (wire === undefined || wire === 'opencode' || !REPLIES[wire]) return 'open'
  return COUNTED.has(wire) ? 'taken' : 'free'
}

function replyOf({ request, state }: Decided): MakeReply {
  const wire = wireOf(state)
  const reply = wire && REPLIES[wire]
  if (reply) return reply
  const { program = 'an unknown program' } = state.session
  throw noAnswerTaken(request, `${program} takes no answer that is known`)
}

/** ACP carries any program. Its requests are those of the protocol, and `session.protocol` names it. */
function wireOf({ session: { program, protocol } }: SessionConversationState): Architecture | undefined {
  return programOf(protocol ?? program)?.wire
}
