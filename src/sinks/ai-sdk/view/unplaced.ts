import { isSameList } from '../../../selectors/memoize.ts'
import type { ConversationBlock } from '../../../state/block.ts'
import { agentWithoutCall } from '../messages/tool-part.ts'
import type { SessionUIMessage, SessionUIPart } from '../messages/ui-message.ts'
import type { AgentView, BranchView, ThreadUpdate } from './thread-view.ts'

/** A last message with everything that has no place in the others, and the views that it shows. */
export interface Unplaced {
  readonly views: readonly (AgentView | BranchView)[]
  readonly message: SessionUIMessage
}

/** Returns the message of the agents whose call is not known, and of the abandoned branches whose mark is not known. */
export function viewUnplaced({ facts, known, changes, branches, index }: ThreadUpdate): Unplaced | undefined {
  const { conversationId, blocks, agents } = facts
  const isUnchanged = changes.isInPlace && branches === known.branches && agents === known.facts.agents
  // An abandoned branch has the agents of its conversation.
  if (isUnchanged || !facts.branches) return known.unplaced
  const abandoned = branches.flatMap(({ thread }) => thread.facts.blocks)
  const views = [
    ...agents.filter(({ agent: { toolUseId } }) => {
      const isCall = (block: ConversationBlock | undefined) =>
        block?.type === 'subagent' && block.toolUseId === toolUseId
      return !index.calls.get(toolUseId)?.some(({ at }) => isCall(blocks[at])) && !abandoned.some(isCall)
    }),
    ...branches.filter(({ id }) => !blocks.some((block) => block.type === 'system' && block.id === id)),
  ]
  if (views.length === 0) return undefined
  if (known.unplaced && isSameList(known.unplaced.views, views)) return known.unplaced
  const id = `${conversationId}:unplaced`
  return { views, message: { id, role: 'assistant', metadata: { conversationId }, parts: views.map(partOf) } }
}

function partOf(view: AgentView | BranchView): SessionUIPart {
  if ('agent' in view) return agentWithoutCall(view.agent, view.output)
  return { type: 'data-branch', id: view.id, data: { messages: [...view.thread.messages] } }
}
