import { type AgentNode, buildSessionTree } from '../selectors/tree.ts'
import type { ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../state/session.ts'

/** What is looked up in a state, once for all components that ask: with every frame there are as many as are shown. */

/** Returns a function that is called once for each value, as long as somebody holds that. */
function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}

/** Returns the session's agents as a tree. */
export const treeIn: (state: SessionConversationState) => AgentNode =
  /* @__PURE__ */ oncePer(buildSessionTree)

const subagentsById = /* @__PURE__ */ oncePer((subagents: readonly SubagentState[]) => {
  const byId = new Map<string, SubagentState>()
  for (const subagent of subagents) if (!byId.has(subagent.toolUseId)) byId.set(subagent.toolUseId, subagent)
  // What is a call's id for one may be an agent's for another; the call's counts.
  for (const subagent of subagents)
    if (subagent.agentId !== undefined && !byId.has(subagent.agentId)) byId.set(subagent.agentId, subagent)
  return byId
})

const placesById = /* @__PURE__ */ oncePer(
  (blocks: readonly ConversationBlock[]) => new Map(blocks.map(({ id }, at) => [id, at])),
)

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`, like `findSubagent`. */
export function subagentIn(state: SessionConversationState, ref: string): SubagentState | undefined {
  return subagentsById(state.subagents).get(ref)
}

/** Returns the blocks of a conversation; of one that is not known the same empty list each time. */
export function blocksIn(
  state: SessionConversationState,
  conversationId: string,
): readonly ConversationBlock[] {
  if (conversationId === MAIN) return state.blocks
  return subagentIn(state, conversationId)?.blocks ?? NO_BLOCKS
}

const NO_BLOCKS: readonly ConversationBlock[] = []

/** Returns where the block stands, or -1. */
export function placeIn(blocks: readonly ConversationBlock[], blockId: string): number {
  // What has come just now is the last one, mostly.
  if (blocks.at(-1)?.id === blockId) return blocks.length - 1
  return placesById(blocks).get(blockId) ?? -1
}
