import { castDraft, create, type Draft } from 'mutative'
import type { ConversationBlock, SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import type { Peer } from './peer.ts'
import { foldingEvents } from './session-events.ts'

/** Finds the place of a block, in a draft or in the state itself. */
type Find = (state: SessionConversationState, draft: Draft<SessionConversationState>, id: string) => number

export const mutativeOutside: Peer = peer(
  'mutative, search outside the draft',
  'A recipe for each event over the same state and events as agentfold, in a plain loop; knows upserts and deltas of main alone, freezes nothing. The block is searched in the state before, so only the one that changes becomes a draft.',
  (state, _, id) => state.blocks.findIndex((block) => block.id === id),
)

export const mutativeRecipe: Peer = peer(
  'mutative, search in the draft',
  'The same recipe, but the block is searched in the draft, as recipes are commonly written: each block that is looked at becomes a draft.',
  (_, draft, id) => draft.blocks.findIndex((block) => block.id === id),
)

function peer(name: string, note: string, find: Find): Peer {
  return {
    name,
    note,
    candidate: (workload) =>
      foldingEvents(
        workload,
        (before, events) => () => events.reduce((state, event) => reduce(state, event, find), before),
      ),
  }
}

function reduce(state: SessionConversationState, event: SessionEvent, find: Find): SessionConversationState {
  return create(state, (draft) => {
    if (event.type === 'block:upsert') {
      const at = find(state, draft, event.block.id)
      const block: ConversationBlock = { ...event.block, conversationId: 'main' }
      if (at < 0) draft.blocks.push(castDraft(block))
      else draft.blocks[at] = castDraft(block)
    } else if (event.type === 'block:delta') {
      const block = draft.blocks[find(state, draft, event.blockId)]
      if (block?.type === 'assistant_text') block.content += event.delta
    }
  })
}
