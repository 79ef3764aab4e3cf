import { omitUndefined } from '../../core/json/fields.ts'
import type { AgentFacts } from '../../core/selectors/walk.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { textContent } from './content.ts'
import { type AgentForm, notificationOf } from './conversation.ts'
import type { ToolCallContent, ToolCallEnd, ToolCallStart } from './messages.ts'

/**
 * Agents for clients without child sessions. The calls of an agent follow its own call in the main session. Nothing else of its conversation
 * is sent: a client would show it as main's.
 */
export const flatAgents: AgentForm = {
  open: (agent, parent) => ({ sessionId: parent.sessionId, calls: parent.calls, agent, parent }),
  start({ agent, parent, calls }) {
    calls.set(agent.toolUseId, undefined)
    return [notificationOf(parent, agentCall(agent))]
  },
  block: () => [],
  plan: () => [],
  end: ({ agent, parent }) => (isFinal(agent.status) ? [notificationOf(parent, agentCallEnd(agent))] : []),
}

/** The name of the call that starts an agent, as in Claude's agent. */
const AGENT_TOOL = 'Agent'

const META = { claudeCode: { toolName: AGENT_TOOL } } as const

function agentCall({ toolUseId, name, description, status, prompt }: AgentFacts): ToolCallStart {
  return omitUndefined({
    sessionUpdate: 'tool_call',
    toolCallId: toolUseId,
    title: description || name || AGENT_TOOL,
    name: AGENT_TOOL,
    kind: 'think',
    status: status === 'pending' ? 'pending' : 'in_progress',
    rawInput: omitUndefined({ description, prompt, subagent_type: name }),
    content: contentOf(prompt),
    _meta: META,
  })
}

/** The content replaces the prompt, which is the content of a call that works. */
function agentCallEnd({ toolUseId, status, output }: AgentFacts): ToolCallEnd {
  return omitUndefined({
    sessionUpdate: 'tool_call_update',
    toolCallId: toolUseId,
    status: status === 'success' ? 'completed' : 'failed',
    rawOutput: output,
    content: contentOf(output) ?? [],
    _meta: META,
  })
}

function contentOf(text: string | undefined): ToolCallContent[] | undefined {
  return text === undefined || text === '' ? undefined : [{ type: 'content', content: textContent(text) }]
}
