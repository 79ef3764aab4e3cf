import type { ConversationBlock } from '../../../core/state/block.ts'
import type { Branch, MessageUsage, SubagentState } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type { AgentOutput, SessionUIMessage, SessionUIPart } from '../messages/ui-message.ts'
import type { BlockChanges, MessageSpan } from './message-spans.ts'
import type { ThreadIndex } from './thread-index.ts'

/** A conversation, and the agents that it started. */
export interface ThreadFacts {
  readonly conversationId: string
  readonly blocks: readonly ConversationBlock[]
  readonly usage: readonly MessageUsage[]
  readonly todos: readonly Todo[] | undefined
  readonly agents: readonly AgentView[]
  /** The parts of the conversation that the person abandoned. Undefined in such a part itself. */
  readonly branches: readonly Branch[] | undefined
}

/** An agent as the part of its call shows it. */
export interface AgentView {
  readonly agent: SubagentState
  readonly thread: ThreadView
  readonly output: AgentOutput
}

/** The messages of a conversation, with everything that makes them quick to update. */
export interface ThreadView {
  readonly facts: ThreadFacts
  readonly views: readonly MessageView[]
  /** The parts of each block. */
  readonly blockParts: readonly BlockParts[]
  /** The tokens of each message, by its number. */
  readonly responses: readonly (MessageUsage[] | undefined)[]
  readonly branches: readonly BranchView[]
  readonly unplaced: Unplaced | undefined
  /** The messages of the views, and then the one of everything that has no place in them. */
  readonly messages: readonly SessionUIMessage[]
}

/** A part of the conversation that the person abandoned. */
export interface BranchView {
  readonly id: string
  readonly thread: ThreadView
}

/** The known view of a conversation, and the steps to the next one. */
export interface ThreadUpdate {
  readonly known: ThreadView
  readonly facts: ThreadFacts
  readonly changes: BlockChanges
  readonly spans: readonly (MessageSpan | MessageView)[]
  readonly index: ThreadIndex
  readonly branches: readonly BranchView[]
}

/** The parts of one block, and the other values that they were made with. */
export interface BlockParts {
  readonly block: ConversationBlock
  /** The id of the model's message that wrote the last blocks of the answer, with this one. */
  readonly response: string | undefined
  readonly inputs: readonly unknown[]
  readonly parts: readonly SessionUIPart[]
}

/** A message of a conversation. */
export interface MessageView extends MessageSpan {
  readonly message: SessionUIMessage
}

/** A last message with everything that has no place in the others, and the views that it shows. */
export interface Unplaced {
  readonly views: readonly (AgentView | BranchView)[]
  readonly message: SessionUIMessage
}
