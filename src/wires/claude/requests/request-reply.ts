import { asObject, type JsonObject } from '../../../core/json/values.ts'
import { findBlock } from '../../../core/selectors/find.ts'
import {
  chosenOption,
  controlResponse,
  type Decided,
  labelsByQuestion,
  noAnswerTaken,
  REFUSAL,
  type RequestReply,
} from '../../kit/request-reply.ts'

/** Answers with a line to the standard input. The program runs the call with the input of the answer. */
export function claudeReply(decided: Decided): RequestReply {
  const { request, decision } = decided
  const isDenied =
    decision.denied === true || (request.kind === 'permission' && chosenOption(decided, 'deny') === 'deny')
  const response = isDenied
    ? { behavior: 'deny', message: decision.comment ?? REFUSAL }
    : { behavior: 'allow', updatedInput: allowedInput(decided) }
  return controlResponse(decided, response)
}

function allowedInput(decided: Decided): JsonObject {
  const input = inputOf(decided)
  return decided.request.kind === 'permission' ? input : { ...input, answers: labelsByQuestion(decided) }
}

/** The request repeats the input if the call does not have it. While the call streams, its input is not whole. */
function inputOf({ request, state }: Decided): JsonObject {
  const { conversationId, toolUseId = '' } = request
  const { input, tool_name } = asObject(request.data)
  if (input !== undefined) return asObject(input)
  const call = findBlock(state, conversationId, toolUseId)
  if (call?.type === 'tool_use' && call.inputText === undefined) return asObject(call.input)
  // The request names the tool of an unknown call, and leaves out an empty input.
  if (!call && tool_name !== undefined) return {}
  throw noAnswerTaken(
    request,
    'the input of its call is not known, and the program would run the call with another one',
  )
}
