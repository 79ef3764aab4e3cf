import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { chosenOption, type Decided, noAnswerTaken, type RequestReply } from '../kit/request-reply.ts'

/** Answers with the response to a JSON-RPC request of the agent. */
export function acpReply(decided: Decided): RequestReply {
  const { id, method, params } = asObject(decided.request.data)
  return {
    type: 'message',
    message: { jsonrpc: '2.0', id, result: resultOf(decided, method, asObject(params)) },
  }
}

function resultOf(decided: Decided, method: unknown, params: JsonObject): JsonObject {
  switch (method) {
    case 'session/request_permission':
      return { outcome: outcomeOf(decided, params) }
    case 'elicitation/create':
      return omitUndefined({ action: chosenOption(decided, 'decline'), content: decided.decision.content })
    default:
      throw noAnswerTaken(decided.request, `the method ${String(method)} is the program's own`)
  }
}

/** A refusal without an option that refuses is a cancelled request. */
function outcomeOf(decided: Decided, { options }: JsonObject): JsonObject {
  const refusals = asArray(options)
    .map(asObject)
    .filter(({ kind }) => asString(kind)?.startsWith('reject'))
  const refusal = asString(refusals[0]?.optionId)
  const { answer, denied } = decided.decision
  if (denied && answer === undefined && refusal === undefined) return { outcome: 'cancelled' }
  return { outcome: 'selected', optionId: chosenOption(decided, refusal) }
}
