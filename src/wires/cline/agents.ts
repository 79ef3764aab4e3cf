import { MAIN } from '../../core/state/session.ts'
import { TEAMMATE } from '../../programs/cline/program.ts'
import type { Memory } from '../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../reading/lookups.ts'
import { isOver } from '../../reading/turn.ts'
import type { ClineContext } from './notes.ts'

/**
 * Links an agent of the stream to the first call of its parent whose agent is not known. The program starts agents in
 * the order of the calls.
 */
export function startAgentOfHook(agentId: string, parentId: string | undefined, context: ClineContext): void {
  if (context.state.findAgent(agentId)) return
  const parent = conversationOf(parentId, context) ?? MAIN
  const call = context.state
    .openAgents()
    .find(
      (agent) =>
        agent.parentConversationId === parent && agent.agentId === undefined && agent.name !== TEAMMATE,
    )
  const toolUseId = call?.toolUseId ?? agentId
  if (!call && parent === MAIN) context.turn.start()
  context.emit({
    type: 'subagent:spawned',
    conversationId: parent,
    toolUseId,
    agentId,
    prompt: call?.prompt ?? '',
  })
}

/** Returns the conversation of an agent by the program's own id. */
export function conversationOf(
  agentId: string | undefined,
  memory: Memory<ClineContext>,
): string | undefined {
  if (agentId === undefined || agentId === memory.notes.values.mainId) return MAIN
  return memory.state.findAgent(agentId)?.toolUseId
}

/** Returns the run of a teammate that goes on. */
export function runOfTeammate(name: string, state: SessionLookups): string | undefined {
  return state.openAgents().findLast((agent) => agent.name === TEAMMATE && agent.description === name)
    ?.toolUseId
}

/** Whether a teammate works. The stream repeats its tokens without its name. */
export function hasTeammates(state: SessionLookups): boolean {
  return state.openAgents().some(({ name }) => name === TEAMMATE)
}

/** Returns the conversations that wait for the model: they run, and no call of theirs is open or announced. */
export function askingConversations(memory: Memory<ClineContext>): readonly string[] {
  const open = memory.state.openAgents()
  const waiting = parentsOf(open, memory.notes.values)
  const isAsking = (id: string) => !waiting.has(id) && hasNoCall(id, memory)
  const running = [
    ...(isOver(memory.state.turn) || memory.notes.values.answer ? [] : [MAIN]),
    ...open.flatMap(({ name, agentId, toolUseId }) =>
      name === TEAMMATE || agentId === undefined ? [] : [toolUseId],
    ),
  ]
  const asking = running.filter(isAsking)
  if (asking.length > 0) return asking
  // A reader that joins late has missed the start of an agent.
  const started = open.filter(({ name, agentId }) => name !== TEAMMATE && agentId === undefined)
  return started.map(({ toolUseId }) => toolUseId).filter(isAsking)
}

/** Whether no call of the conversation is open or announced. */
export function isAsking(id: string, memory: Memory<ClineContext>): boolean {
  return hasNoCall(id, memory) && !parentsOf(memory.state.openAgents(), memory.notes.values).has(id)
}

/** Returns the conversations that wait for one of the agents. */
function parentsOf(
  agents: readonly AgentState[],
  notes: ClineContext['notes']['values'],
): ReadonlySet<string | undefined> {
  const waited = agents.filter(({ toolUseId }) => !notes.launched.get(toolUseId))
  return new Set(waited.map(({ parentConversationId }) => parentConversationId))
}

function hasNoCall(id: string, memory: Memory<ClineContext>): boolean {
  if ((memory.notes.values.announced.get(id) ?? 0) > 0) return false
  return !memory.state.openBlocks(id).some(({ type }) => type === 'tool_use')
}
