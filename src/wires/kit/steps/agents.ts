import { MAIN } from '../../../core/state/session.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../../reading/lookups.ts'
import { endAgent } from '../abandon.ts'
import type { AgentEnd, AgentsOfResult, StartedAgent, Step } from './step.ts'

/** A call that starts agents, in its conversation. */
interface AgentsCall {
  readonly conversationId: string
  readonly toolUseId: string
  readonly messageId: string
  readonly agents: readonly StartedAgent[]
  readonly time?: string | undefined
}

/** Shows the agents of a call. One alone is the call itself. Several are below their call, as those of a workflow do. */
export function startAgents(call: AgentsCall, output: SessionOutput): void {
  const { conversationId, toolUseId, messageId, agents, time: timestamp } = call
  const isAlone = agents.length === 1
  for (const [at, { prompt, name, description }] of agents.entries()) {
    const id = isAlone ? toolUseId : `${toolUseId}:${at}`
    if (output.state.agentOfCall(id)) continue
    output.emit({
      type: 'subagent:spawned',
      conversationId,
      toolUseId: id,
      prompt,
      subagentType: name,
      description,
      ...(isAlone ? { messageId } : { launchedBy: toolUseId }),
      timestamp,
    })
  }
}

/** Returns the agents of a call in order: the one that is the call, or those that it has launched. */
export function agentsOf(toolUseId: string, state: SessionLookups): readonly AgentState[] {
  const own = state.agentOfCall(toolUseId)
  return own ? [own] : state.agentsIn(launchOf, toolUseId)
}

const launchOf = ({ launchedBy }: AgentState): string | undefined => launchedBy

const UNLINKED = 'unlinked'
const unlinkedGroup = ({ agentId, prompt = '' }: AgentState): string | undefined =>
  agentId === undefined && prompt !== '' ? UNLINKED : undefined

/** Reads what the result of a call says of its agents. */
export function readAgents(
  agents: readonly AgentState[],
  { isLaunch, ids = [], ends = [] }: AgentsOfResult,
  last: AgentEnd & { readonly timestamp: string | undefined },
  output: SessionOutput,
): void {
  const { timestamp } = last
  for (const [at, { toolUseId }] of agents.map(({ toolUseId }) => ({ toolUseId })).entries()) {
    const agentId = ids[at]
    if (agentId !== undefined) linkAgent(toolUseId, agentId, output)
    const end = ends[at] ?? last
    if (!isLaunch) endAgent(toolUseId, { isError: end.isError, output: end.output, timestamp }, output)
  }
}

/** Gives an agent the program's own id. */
function linkAgent(toolUseId: string, agentId: string, output: SessionOutput): void {
  const known = output.state.agentOfCall(toolUseId)
  if (!known || known.agentId !== undefined || output.state.findAgent(agentId)) return
  const { prompt = '', parentConversationId: conversationId = MAIN } = known
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, agentId, prompt })
}

/** The call that has started the agent, as the agent's file tells it. */
interface AgentOrigin {
  readonly callId?: string | undefined
  readonly firstPrompt?: string | undefined
}

/**
 * Returns the conversation of an agent's lines. If no result has named the agent, it is the call that its file names,
 * or the first one whose prompt its first message has. A program may add words of its own to the prompt.
 */
export function conversationOf(
  agentId: string,
  { callId, firstPrompt }: AgentOrigin,
  output: SessionOutput,
): string | undefined {
  const known = output.state.findAgent(agentId)?.toolUseId
  if (known !== undefined) return known
  const named = callId === undefined ? undefined : output.state.agentOfCall(callId)
  if (named && named.agentId === undefined) {
    linkAgent(named.toolUseId, agentId, output)
    return named.toolUseId
  }
  if (firstPrompt === undefined) return undefined
  const found = output.state.firstAgentIn(unlinkedGroup, UNLINKED, ({ prompt = '' }) =>
    firstPrompt.includes(prompt),
  )
  if (!found) return undefined
  const { toolUseId } = found
  linkAgent(toolUseId, agentId, output)
  return toolUseId
}

/** Ends agents that work in the background: the one with the id, those that still run, or all of them as stopped. */
export function endAgents(
  { agentId, ends, time: timestamp }: Extract<Step, { readonly type: 'agents' }>,
  session: SessionOutput,
): void {
  const named = agentId === undefined ? undefined : session.state.findAgent(agentId)?.toolUseId
  if (ends === 'stopped') {
    const all = agentId === undefined ? session.state.runningAgents() : []
    for (const toolUseId of named === undefined ? all : [named])
      endAgent(toolUseId, { isError: true, timestamp }, session)
    return
  }
  const ended = new Set<string>()
  const first = (isOwn: (agent: AgentState) => boolean) =>
    session.state.firstOpenAgent(
      (agent) => !isFinal(agent.status) && !ended.has(agent.toolUseId) && isOwn(agent),
    )?.toolUseId
  const running = (prompt: string | undefined) => {
    if (agentId !== undefined) return named === undefined || ended.has(named) ? undefined : named
    const isAsked = (agent: AgentState) => prompt !== undefined && agent.prompt?.startsWith(prompt) === true
    return first(isAsked) ?? first(() => true)
  }
  for (const { isError, output, prompt } of ends) {
    const toolUseId = running(prompt)
    if (toolUseId === undefined) continue
    ended.add(toolUseId)
    endAgent(toolUseId, { isError, output, timestamp }, session)
  }
}
