import { omitUndefined } from '../../core/json/fields.ts'
import { asObject } from '../../core/json/values.ts'
import { chosenOption, type Decided, noAnswerTaken, type RequestReply } from '../kit/request-reply.ts'

const REJECT = 'reject'

/** Answers a permission with a call over the connection of the SDK. A question is a request of the connection, whose id no event names. */
export function copilotReply(decided: Decided): RequestReply {
  const { request, decision, state } = decided
  const { requestId, permissionRequest } = asObject(request.data)
  if (permissionRequest === undefined)
    throw noAnswerTaken(request, 'answer the request of the connection that asks the question')
  const kind = chosenOption(decided, REJECT)
  const feedback = kind === REJECT ? decision.comment : undefined
  const result = omitUndefined({ kind, feedback })
  const params = omitUndefined({ sessionId: state.session.id, requestId, result })
  return { type: 'call', method: 'session.permissions.handlePendingPermissionRequest', params }
}
