import { addToList } from '../../../core/json/lists.ts'
import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import type { Branch, MessageUsage, SubagentState } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type {
  AgentOutput,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from '../messages/ui-message.ts'
import { type BlockChanges, callIdOf, type MessageSpan } from './message-spans.ts'

type TurnEnd = Pick<SessionUIMetadata, 'outcome' | 'error'>

/** A conversation, and the agents that it started. */
export interface ThreadFacts {
  readonly conversationId: string
  readonly blocks: readonly ConversationBlock[]
  readonly usage: readonly MessageUsage[]
  readonly todos: readonly Todo[] | undefined
  /** The end of main's last turn, if it did not end by itself. */
  readonly end: TurnEnd | undefined
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

/** The place of a block, and the number of its message. */
interface Place {
  readonly at: number
  readonly messageNumber: number
}

/** The places of the blocks with an id, in their order. No block has the id undefined. */
type Places = Map<string | undefined, Place[]>

/** Finds the blocks of a conversation. */
interface ThreadIndex {
  /** Calls and agents, and the blocks about them. */
  readonly calls: Places
  /** The blocks of the model's messages. */
  readonly messages: Places
}

/**
 * The index of the newest list of each conversation. An index is found by the identity of its list and equals one
 * that is made from it, so it only saves time. A view that goes on from an older list makes a new one: a second sink
 * that is some states behind makes its index again at each step.
 */
const indexes = /* @__PURE__ */ new WeakMap<readonly ConversationBlock[], ThreadIndex>()

/** Returns the index of the blocks. The index of the known ones becomes it: the `kept` first blocks are at their known places. */
export function indexThread(
  blocks: readonly ConversationBlock[],
  spans: readonly MessageSpan[],
  { known, kept }: { readonly known: readonly ConversationBlock[]; readonly kept: number },
): ThreadIndex {
  const own = indexes.get(blocks)
  if (own) return own
  const moved = indexes.get(known)
  indexes.delete(known)
  const index = moved ?? { calls: new Map(), messages: new Map() }
  indexes.set(blocks, index)
  if (moved) for (const block of known.slice(kept)) cutPlaces(index, block, kept)
  for (const [messageNumber, { from, to }] of spans.entries())
    for (let at = Math.max(moved ? kept : 0, from); at < to; at += 1)
      addPlace(index, blocks[at], { at, messageNumber })
  return index
}

function cutPlaces({ calls, messages }: ThreadIndex, block: ConversationBlock, kept: number): void {
  for (const places of [calls.get(callIdOf(block)), messages.get(messageIdOf(block))])
    while ((places?.at(-1)?.at ?? -1) >= kept) places?.pop()
}

function addPlace(
  { calls, messages }: ThreadIndex,
  block: ConversationBlock | undefined,
  place: Place,
): void {
  if (!block) return
  addTo(calls, callIdOf(block), place)
  addTo(messages, messageIdOf(block), place)
}

function addTo(all: Places, id: string | undefined, place: Place): void {
  if (id !== undefined) addToList(all, id, place)
}
