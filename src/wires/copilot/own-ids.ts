import { asArray, asObject, isString, type JsonObject } from '../../core/json/values.ts'
import { agentOfId, callOf, placeCall } from '../kit/reused-ids.ts'
import { isAgentTool } from './agents.ts'
import type { CopilotContext } from './notes.ts'
import type { EventPlace } from './turn.ts'

/** Returns the data of an event with the ids of the state in the place of the model's, which may use an id again. */
export function withOwnIds(place: EventPlace, context: CopilotContext): JsonObject {
  const { type, agentId, time, data } = place.event
  const { messageId, toolCallId, toolRequests } = data
  if (type === 'assistant.message' && isString(messageId) && toolRequests !== undefined)
    return {
      ...data,
      toolRequests: asArray(toolRequests).map((call) => withOwnId(place, messageId, call, context)),
    }
  if (!isString(toolCallId) || context.notes.renamedCalls.isEmpty) return data
  const known = context.findAgent(agentId ?? '')?.toolUseId
  const own = type.startsWith('subagent.')
    ? agentOfId(toolCallId, { known, time }, context)
    : callOf(place.conversationId, toolCallId, context, time)
  return { ...data, toolCallId: own }
}

function withOwnId(
  { conversationId }: EventPlace,
  messageId: string,
  request: unknown,
  context: CopilotContext,
): unknown {
  const { toolCallId: callId, name } = asObject(request)
  if (!isString(callId) || !isString(name)) return request
  const own = placeCall({ conversationId, messageId, callId, isAgent: isAgentTool(name) }, context)
  return own === callId ? request : { ...asObject(request), toolCallId: own }
}
