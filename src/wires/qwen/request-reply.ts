import { asObject } from '../../core/json/values.ts'
import { findBlock } from '../../core/selectors/find.ts'
import {
  chosenOption,
  controlResponse,
  type Decided,
  labelsByQuestion,
  REFUSAL,
  type RequestReply,
} from '../kit/request-reply.ts'

/** Answers with a line to the standard input. Without an input in the answer, the call runs with its own. */
export function qwenReply(decided: Decided): RequestReply {
  const { request, decision, state } = decided
  const isPermission = request.kind === 'permission'
  if (decision.denied || (isPermission && chosenOption(decided, 'deny') === 'deny'))
    return controlResponse(decided, { behavior: 'deny', message: decision.comment ?? REFUSAL })
  if (isPermission) return controlResponse(decided, { behavior: 'allow' })
  const call = findBlock(state, request.conversationId, request.toolUseId ?? '')
  const input = call?.type === 'tool_use' ? asObject(call.input) : {}
  return controlResponse(decided, {
    behavior: 'allow',
    updatedInput: { ...input, answers: labelsByQuestion(decided) },
  })
}
