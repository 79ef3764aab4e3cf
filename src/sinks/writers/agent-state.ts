import { addToList } from '../../core/json/lists.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { showsPrompt } from '../plan/plan.ts'
import { UnknownAgentError } from './target.ts'

/**
 * Returns the session of an agent alone: its conversation is main's, and the agents below it are all that there are.
 * `agent` is either id of a subagent. Throws an `UnknownAgentError` if the session has none with that id.
 */
export function stateOfAgent(state: SessionConversationState, agent: string): SessionConversationState {
  const found = findSubagent(state, agent)
  if (!found) throw new UnknownAgentError(agent)
  const { toolUseId, usage, todos, description, status } = found
  // The session's title, model, cost and context are those of main.
  const { cwd, program, protocol, version } = state.session
  return {
    blocks: [...promptOf(found), ...found.blocks].map(inMain),
    usage,
    ...(todos && { todos }),
    turn: { status: isFinal(status) ? 'finished' : 'interrupted' },
    subagents: agentsBelow(state, toolUseId),
    session: {
      // Two agents of a session must not get one id.
      id: JSON.stringify([state.session.id, toolUseId]),
      ...(description !== undefined && { title: description }),
      ...(cwd !== undefined && { cwd }),
      ...(program !== undefined && { program }),
      ...(protocol !== undefined && { protocol }),
      ...(version !== undefined && { version }),
    },
  }
}

/** A stream may lack the prompt of an agent, but its call has it. */
function promptOf({ toolUseId, prompt, blocks }: SubagentState): readonly ConversationBlock[] {
  if (prompt === undefined || prompt === '' || showsPrompt(blocks, prompt)) return []
  const id = `${toolUseId}:prompt`
  return [{ type: 'user_message', id, status: 'complete', conversationId: MAIN, content: prompt }]
}

function inMain(block: ConversationBlock): ConversationBlock {
  return { ...block, conversationId: MAIN }
}

/** Returns the agents below another one, in the order of the session. */
function agentsBelow({ subagents }: SessionConversationState, top: string): readonly SubagentState[] {
  const children = new Map<string, SubagentState[]>()
  for (const each of subagents) addToList(children, each.parentConversationId ?? MAIN, each)
  const below = new Set<SubagentState>()
  const parents = [top]
  for (const parent of parents)
    for (const child of children.get(parent) ?? []) {
      if (below.has(child) || child.toolUseId === top) continue
      below.add(child)
      parents.push(child.toolUseId)
    }
  return subagents.flatMap((each) => (below.has(each) ? [ofParent(each, top)] : []))
}

function ofParent(agent: SubagentState, top: string): SubagentState {
  return agent.parentConversationId === top ? { ...agent, parentConversationId: MAIN } : agent
}
