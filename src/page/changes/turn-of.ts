import type { ConversationBlock, SessionConversationState } from 'agentfold'
import type { SessionFileChange } from '../../core/selectors/file-changes.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { isCall, isPrompt } from '../../core/state/block.ts'

/**
 * Returns the id of the prompt whose turn made a change. The changes of an agent are of the turn that started it. Undefined before
 * the first prompt, and for a change without a call.
 */
export function turnOf(
  { blocks, subagents }: SessionConversationState,
  { conversationId, toolUseId }: Pick<SessionFileChange, 'conversationId' | 'toolUseId'>,
): string | undefined {
  const call = conversationId === 'main' ? toolUseId : topAgents(subagents).get(conversationId)
  return call === undefined ? undefined : turnsOfCalls(blocks).get(call)
}

/** The prompts of main's calls. An agent has the id of its call. */
const turnsOfCalls = memoizeWeakly((blocks: readonly ConversationBlock[]): ReadonlyMap<string, string> => {
  const turns = new Map<string, string>()
  let promptId: string | undefined
  for (const block of blocks) {
    if (isPrompt(block)) promptId = block.id
    else if (isCall(block) && promptId !== undefined) turns.set(block.toolUseId, promptId)
  }
  return turns
})

/** The agent of main around each agent. */
const topAgents = memoizeWeakly(
  (subagents: SessionConversationState['subagents']): ReadonlyMap<string, string> => {
    const parents = new Map(subagents.map((agent) => [agent.toolUseId, agent.parentConversationId ?? 'main']))
    return new Map(subagents.map(({ toolUseId }) => [toolUseId, topOf(toolUseId, parents)]))
  },
)

/** Bad data may put an agent below itself. */
function topOf(agentId: string, parents: ReadonlyMap<string, string>): string {
  const seen = new Set<string>()
  let top = agentId
  for (
    let parent = parents.get(top) ?? 'main';
    parent !== 'main' && !seen.has(parent);
    parent = parents.get(top) ?? 'main'
  ) {
    seen.add(parent)
    top = parent
  }
  return top
}
