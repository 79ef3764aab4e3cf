import { MAIN } from '../../core/state/session.ts'
import { hasEnded } from '../../core/state/subagent.ts'
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
  const call = context.state.firstAgentIn(
    callerGroup,
    UNLINKED,
    ({ parentConversationId }) => parentConversationId === parent,
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
  for (const agent of state.openAgentsFromEnd())
    if (agent.name === TEAMMATE && agent.description === name) return agent.toolUseId
  return undefined
}

/** Whether a teammate works. The stream repeats its tokens without its name. */
export function hasTeammates(state: SessionLookups): boolean {
  return state.firstAgentIn(teammateGroup, TEAMMATE) !== undefined
}

/**
 * Returns the conversations that wait for the model, or the first ones: they run, and no call of theirs is open or
 * announced. A session may have many.
 */
export function askingConversations(
  memory: Memory<ClineContext>,
  limit: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  const asking: string[] = []
  if (!isOver(memory.state.turn) && !memory.notes.values.answer && isAsking(MAIN, memory)) asking.push(MAIN)
  const addAgents = (group: string) =>
    memory.state.firstAgentIn(callerGroup, group, ({ toolUseId }) => {
      if (asking.length < limit && isAsking(toolUseId, memory)) asking.push(toolUseId)
      return asking.length >= limit
    })
  addAgents(LINKED)
  // A reader that joins late has missed the start of an agent.
  if (asking.length === 0) addAgents(UNLINKED)
  return asking
}

/** Returns the conversation that waits for the model, if it is the only one. */
export function onlyAsking(memory: Memory<ClineContext>): string | undefined {
  const [only, other] = askingConversations(memory, 2)
  return other === undefined ? only : undefined
}

/** The teammates that work. */
const teammateGroup = (agent: AgentState): string | undefined =>
  agent.name === TEAMMATE && !hasEnded(agent) ? TEAMMATE : undefined

const [LINKED, UNLINKED] = ['linked', 'unlinked']

/** The open agents that are no teammates, by whether their own ids are known. */
const callerGroup = (agent: AgentState): string | undefined => {
  if (agent.name === TEAMMATE || hasEnded(agent)) return undefined
  return agent.agentId === undefined ? UNLINKED : LINKED
}

/** Whether no call of the conversation is open or announced. */
export function isAsking(id: string, memory: Memory<ClineContext>): boolean {
  const isAwaited = ({ toolUseId }: AgentState) => !memory.notes.values.launched.get(toolUseId)
  return hasNoCall(id, memory) && !memory.state.firstAgentIn(openChildOf, id, isAwaited)
}

const openChildOf = (agent: AgentState): string | undefined =>
  hasEnded(agent) ? undefined : agent.parentConversationId

function hasNoCall(id: string, memory: Memory<ClineContext>): boolean {
  if ((memory.notes.values.announced.get(id) ?? 0) > 0) return false
  return memory.state.firstOpenBlock(id, ({ type }) => type === 'tool_use') === undefined
}
