import { isSameList } from '../../../selectors/memoize.ts'
import { agentWithoutCall } from '../messages/tool-part.ts'
import type { SessionUIMessage, SessionUIPart } from '../messages/ui-message.ts'
import type { ThreadLookup } from './thread-lookup.ts'
import type { AgentView, BranchView, ThreadFacts } from './thread-view.ts'

/** A last message with everything that has no place in the others, and the views that it shows. */
export interface Unplaced {
  readonly views: readonly (AgentView | BranchView)[]
  readonly message: SessionUIMessage
}

/** Returns the message of the agents whose call is not known, and of the abandoned branches whose mark is not known. */
export function viewUnplaced(
  { conversationId, agents, branches }: ThreadFacts,
  lookup: ThreadLookup,
  known: Unplaced | undefined,
): Unplaced | undefined {
  // An abandoned branch has the agents of its conversation.
  if (!branches) return undefined
  const views = [
    ...agents.filter(({ agent }) => !lookup.hasCallOf(agent.toolUseId)),
    ...lookup.branches.filter(({ id }) => !lookup.hasMark(id)),
  ]
  if (views.length === 0) return undefined
  if (known && isSameList(known.views, views)) return known
  const id = `${conversationId}:unplaced`
  return { views, message: { id, role: 'assistant', metadata: { conversationId }, parts: views.map(partOf) } }
}

function partOf(view: AgentView | BranchView): SessionUIPart {
  if ('agent' in view) return agentWithoutCall(view.agent, view.output)
  return { type: 'data-branch', id: view.id, data: { messages: [...view.thread.messages] } }
}
