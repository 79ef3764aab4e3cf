import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { AgentsCall, ProgramReader } from '../reader.ts'
import { agentCallInput, endOf, readAgentCall, statesByAgent } from './agent-call.ts'
import { mcpResult, wrappedCall } from './mcp.ts'
import { activityCall, SPAWN_AGENT } from './tool-names.ts'

/** Reads Codex for a protocol. */
export const codexReader: ProgramReader = {
  agentsCall({ toolName, title, input }) {
    const activity = readActivity(asObject(input))
    if (activity) return activity
    const { receiverThreadIds: receiver_thread_ids, agentsStates: agents_states, ...fields } = asObject(input)
    if (!isObject(agents_states) || !Array.isArray(receiver_thread_ids)) return undefined
    const { prompt, status } = fields
    const call = readAgentCall({
      tool: title ?? toolName,
      receiver_thread_ids,
      agents_states,
      prompt,
      status,
    })
    return {
      toolName: call.toolName,
      agentIds: call.agentIds,
      prompt: call.prompt,
      isFailed: call.status === 'failed',
      ends: call.states.flatMap(({ agentId, status: state, message }) => {
        const end = endOf(state)
        return end ? [{ agentId, status: end, output: message }] : []
      }),
      input: agentCallInput(call.agentIds, call.prompt),
      output: statesByAgent(call.states),
    }
  },
  // The older tools state the prompt, and an agent with a session of its own has blocks.
  isUnreported: ({ prompt = '', blocks }) => prompt === '' && blocks.length === 0,
  toolName: (call) => wrappedCall(call)?.toolName ?? call.toolName,
  input: (call) => wrappedCall(call)?.input,
  result: mcpResult,
  warning(text, messageId) {
    if (messageId !== undefined) return messageId.endsWith(':subagent-history-gap') ? text : undefined
    return /^Warning: ([\s\S]*?)\n\n$/.exec(text)?.[1]
  },
}

/** Reads what has become of an agent: the calls of the newer tools have no more in a protocol. The input repeats `_meta.codex.subagent`. */
function readActivity({ agentThreadId, agentPath, activityKind }: JsonObject): AgentsCall | undefined {
  const [agentId, activity] = [asString(agentThreadId), asString(activityKind)]
  if (agentId === undefined || activity === undefined) return undefined
  const path = asString(agentPath)
  const description = path?.split('/').at(-1)
  const call = { agentIds: [agentId], isFailed: false, ends: [], input: { target: path ?? agentId } } as const
  if (activity === 'started')
    return { ...call, toolName: SPAWN_AGENT, description, output: {}, isUnreported: true }
  const toolName = activityCall(activity)
  const isEnd = toolName === undefined
  if (isEnd && activity !== 'completed') return undefined
  const status = activity === 'interrupted' ? 'error' : 'completed'
  const ends = activity === 'interacted' ? [] : [{ agentId, status } as const]
  const states = activity === 'interrupted' ? [{ agentId, status: activity }] : []
  return {
    ...call,
    toolName: toolName ?? activity,
    ends,
    output: statesByAgent(states),
    ...(isEnd && { isEnd }),
  }
}
