import { omitUndefined } from '../../../core/json/fields.ts'
import { subagentBlockId } from '../../../core/state/block.ts'
import { hasEnded } from '../../../core/state/subagent.ts'
import { type AgentCall, type AgentState, endOf } from '../../../programs/codex/agent-call.ts'
import { CLOSE_AGENT, SEND_INPUT, WAIT_AGENT } from '../../../programs/codex/tool-names.ts'
import { isAnnounced, type AgentState as SessionAgent } from '../../../reading/lookups.ts'
import { type CodexContext, type CodexMemory, UNNAMED } from '../context.ts'
import type { SpawnArguments } from '../items/stored-call.ts'
import { namesOf, silentThreads } from '../threads.ts'

interface RunEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

/** Ends the run of an agent's thread. */
export function endRun(threadId: string, end: RunEnd, context: CodexContext): void {
  context.noteUnfinished(threadId)
  const toolUseId = context.conversationOf(threadId)
  context.emit({ type: 'subagent:completed', toolUseId, agentId: threadId, ...end })
}

/** Ends the run of an agent's thread, and what is open in it. */
export function endOwnRun(threadId: string, end: RunEnd, context: CodexContext): void {
  context.noteUnfinished(threadId)
  context.emit({ type: 'session:idle', conversationId: context.conversationOf(threadId) })
  endRun(threadId, end, context)
}

/** Ends the announced agent of a call. */
export function failAnnounced(toolUseId: string, output: string | undefined, context: CodexContext): void {
  nameByRole(toolUseId, context)
  context.emit({ type: 'subagent:completed', toolUseId, status: 'error', output })
}

/** Ends the agents that a thread has announced: a stop of its turn has ended their calls. */
export function failAllAnnounced(threadId: string, context: CodexContext): void {
  const parentId = context.conversationOf(threadId)
  const announced = context.state.agentsIn(announcedBy, parentId).map(({ toolUseId }) => toolUseId)
  for (const toolUseId of announced) failAnnounced(toolUseId, undefined, context)
}

const announcedBy = (agent: SessionAgent): string | undefined =>
  isAnnounced(agent) ? agent.parentConversationId : undefined

/** Whether the thread of an agent works. */
export function isRunning(threadId: string, memory: CodexMemory): boolean {
  const agent = memory.state.findAgent(threadId)
  return agent ? !hasEnded(agent) : memory.notes.values.turns.get(threadId) !== undefined
}

/** Stops all agents: the program ends. */
export function stopAgents(context: CodexContext): void {
  const running = context.state.openAgents()
  for (const { toolUseId, agentId = toolUseId } of running)
    if (context.state.isAnnounced(toolUseId)) failAnnounced(toolUseId, undefined, context)
    else endOwnRun(agentId, { status: 'error' }, context)
  for (const threadId of silentThreads(context)) endOwnRun(threadId, { status: 'error' }, context)
}

// The stream of `codex exec`, and a rollout whose agents' files are missing, have no messages of the agents. Only
// calls show their runs.

/** Reads what the end of a call shows of its agents. A message to an agent has the state before it. */
export function readAgentCallEnd(
  { toolName, agentIds, states, status }: Omit<AgentCall, 'prompt'>,
  context: CodexContext,
): void {
  if (toolName === SEND_INPUT && status === 'completed')
    for (const agentId of agentIds) if (isSilent(agentId, context)) resume(agentId, context)
  if (toolName !== WAIT_AGENT && toolName !== CLOSE_AGENT) return
  for (const state of states) applyState(state, toolName === CLOSE_AGENT, context)
}

/** Ends the agent if it has ended. A closed agent has, and a further report is that of a further run. */
function applyState(
  { agentId, status, message: output }: AgentState,
  isClosed: boolean,
  context: CodexContext,
): void {
  const isOver = isClosed && isSilent(agentId, context)
  const ended = endOf(status) ?? (isOver ? 'error' : undefined)
  if (!ended) return
  if (isFurtherReport(agentId, output, context)) resume(agentId, context)
  if (isRunning(agentId, context)) endRun(agentId, { status: ended, output }, context)
}

function isFurtherReport(agentId: string, output: string | undefined, memory: CodexMemory): boolean {
  const agent = memory.state.findAgent(agentId)
  if (output === undefined || !agent || !hasEnded(agent) || !isSilent(agentId, memory)) return false
  return agent.output !== undefined && agent.output !== output
}

function resume(agentId: string, context: CodexContext): void {
  if (context.state.hasEnded(agentId))
    context.emit({ type: 'subagent:resumed', toolUseId: context.conversationOf(agentId) })
}

/** Whether the input has no messages of the agent. Its prompt is that of its call. */
function isSilent(agentId: string, memory: CodexMemory): boolean {
  if (memory.notes.values.turns.get(agentId) !== undefined) return false
  return memory.state.blocksOf(memory.conversationOf(agentId)).every(({ type }) => type === 'user_message')
}

interface Announcement extends SpawnArguments {
  readonly callId: string
  readonly time?: string | undefined
}

/** Announces the agent of a call whose thread is not known yet. */
export function announceAgent(
  threadId: string,
  { callId, prompt, role, task, time }: Announcement,
  context: CodexContext,
): void {
  if (context.isKnownItem(threadId, callId)) return
  if (role !== undefined) context.notes.setEntry('roles', callId, role)
  const facts = { description: task, timestamp: time }
  const block = {
    type: 'subagent',
    id: subagentBlockId(callId),
    toolUseId: callId,
    status: 'pending',
    input: prompt,
  } as const
  context.showWork(threadId, omitUndefined({ ...block, ...facts }), time)
}

interface Link {
  readonly callId: string
  readonly agentId: string
  readonly prompt?: string | undefined
  readonly agentPath?: string | undefined
  readonly nickname?: string | undefined
  readonly time?: string | undefined
}

/** Links a thread to the call that started it. The first call stays: later ones send the agent further tasks. */
export function linkAgent(threadId: string, link: Link, context: CodexContext): void {
  const { callId, agentId, prompt = '', time } = link
  const known = context.state.findAgent(agentId)
  if (agentId === '' || context.isMain(agentId) || (known && known.toolUseId !== agentId)) return
  const origin = context.notes.values.origins.get(agentId) ?? {}
  const path = link.agentPath ?? origin.agentPath
  const nickname = path === undefined ? (link.nickname ?? origin.nickname) : undefined
  const role = context.notes.values.roles.get(callId) ?? origin.role
  context.notes.removeEntry('origins', agentId)
  context.notes.removeEntry('roles', callId)
  context.emit({
    type: 'subagent:spawned',
    conversationId: context.conversationOf(threadId),
    toolUseId: callId,
    agentId,
    prompt,
    ...namesOf({ nickname, role, task: path?.split('/').at(-1) }),
    timestamp: time,
  })
}

/** Names an agent that has no thread after its role. */
export function nameByRole(callId: string, context: CodexContext): void {
  const role = context.notes.values.roles.get(callId)
  const agent = context.state.findAgent(callId)
  if (role === undefined || agent?.parentConversationId === undefined) return
  context.notes.removeEntry('roles', callId)
  const block = {
    id: subagentBlockId(callId),
    toolUseId: callId,
    status: agent.status,
    input: '',
    name: role,
  } as const
  context.upsert(agent.parentConversationId, { type: 'subagent', ...block })
}

/** Shows the agents whose call no message has named, under their parents. Returns their ids. */
export function spawnUnlinkedAgents(context: CodexContext): readonly string[] {
  const shown = context.state
    .agents()
    .flatMap(({ toolUseId, parentConversationId }) => (parentConversationId === undefined ? [toolUseId] : []))
  const unlinked = [...shown, ...silentThreads(context)]
  for (const id of unlinked) {
    const { parentId, nickname, role } = context.notes.values.origins.get(id) ?? {}
    const conversationId = context.conversationOf(parentId ?? UNNAMED)
    context.notes.removeEntry('origins', id)
    context.emit({
      type: 'subagent:spawned',
      conversationId,
      toolUseId: id,
      agentId: id,
      prompt: '',
      ...namesOf({ nickname, role, task: undefined }),
    })
  }
  return unlinked
}
