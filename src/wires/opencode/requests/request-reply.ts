import { omitUndefined } from '../../../core/json/fields.ts'
import { chosenLabels, chosenOption, type Decided, type RequestReply } from '../../kit/request-reply.ts'

const REJECT = 'reject'

/** Answers at the server of the program. */
export function opencodeReply(decided: Decided): RequestReply {
  const { request, decision } = decided
  const id = encodeURIComponent(request.id)
  if (request.kind === 'question') {
    if (decision.denied) return post(`/question/${id}/reject`, {})
    return post(`/question/${id}/reply`, { answers: chosenLabels(decided) })
  }
  const reply = chosenOption(decided, REJECT)
  const message = reply === REJECT ? decision.comment : undefined
  return post(`/permission/${id}/reply`, omitUndefined({ reply, message }))
}

function post(path: string, body: object): RequestReply {
  return { type: 'http', method: 'POST', path, body: { ...body } }
}
