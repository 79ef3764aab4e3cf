import { asObject, type JsonObject } from '../../core/json/values.ts'
import { chosenOption, type Decided, type RequestReply } from '../kit/request-reply.ts'

/** Answers a dialog of an extension with a line to the standard input. A refusal without an option cancels the dialog. */
export function piReply(decided: Decided): RequestReply {
  const { request, decision } = decided
  const answer = decision.denied && decision.answer === undefined ? { cancelled: true } : chosenValue(decided)
  return { type: 'message', message: { type: 'extension_ui_response', id: request.id, ...answer } }
}

function chosenValue(decided: Decided): JsonObject {
  const value = chosenOption(decided, undefined)
  const { data, options } = decided.request
  return asObject(data).method === 'confirm' ? { confirmed: value === options?.[0]?.id } : { value }
}
