import { asObject, isObject } from '../../core/json/values.ts'
import type { ProgramReader } from '../reader.ts'
import { agentCallInput, endOf, readAgentCall, statesByAgent } from './agent-call.ts'
import { mcpResult, wrappedCall } from './mcp.ts'

/** Reads Codex for a protocol. */
export const codexReader: ProgramReader = {
  agentsCall({ toolName, title, input }) {
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
  toolName: (call) => wrappedCall(call)?.toolName ?? call.toolName,
  input: (call) => wrappedCall(call)?.input,
  result: mcpResult,
  warning(text, messageId) {
    if (messageId !== undefined) return messageId.endsWith(':subagent-history-gap') ? text : undefined
    return /^Warning: ([\s\S]*?)\n\n$/.exec(text)?.[1]
  },
}
