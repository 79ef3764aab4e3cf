import { produce } from 'immer'
import { castDraft, create, type Draft } from 'mutative'
import type { ConversationBlock, SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import type { Peer } from './peer.ts'
import { foldingEvents } from './session-events.ts'

type State = SessionConversationState
type Change = (state: State, recipe: (draft: Draft<State>) => void) => State
/** Finds the place of a block, in a draft or in the state itself. */
type Find = (state: State, draft: Draft<State>, id: string) => number

const LIBRARIES: readonly (readonly [name: string, freezing: string, change: Change])[] = [
  ['mutative', 'freezes nothing', (state, recipe) => create(state, (draft) => recipe(draft))],
  ['immer', 'freezes what it changes', (state, recipe) => produce(state, recipe)],
]

/** The block is searched in the state before, so only the one that changes becomes a draft. */
export const recipesOutside: readonly Peer[] = LIBRARIES.map(([name, freezing, change]) =>
  peer(
    `${name}, search outside the draft`,
    `A recipe for each event over the same state and events as agentfold, in a plain loop; knows upserts and deltas of main alone, ${freezing}. The block is searched in the state before, so only the one that changes becomes a draft.`,
    change,
    (state, _, id) => state.blocks.findIndex((block) => block.id === id),
  ),
)

/** As recipes are commonly written. */
export const recipesInside: readonly Peer[] = LIBRARIES.map(([name, , change]) =>
  peer(
    `${name}, search in the draft`,
    'The same recipe, but the block is searched in the draft, as recipes are commonly written: each block that is looked at becomes a draft.',
    change,
    (_, draft, id) => draft.blocks.findIndex((block) => block.id === id),
  ),
)

function peer(name: string, note: string, change: Change, find: Find): Peer {
  return {
    name,
    note,
    candidate: (workload) =>
      foldingEvents(
        workload,
        (before, events) => () => events.reduce((state, event) => reduce(state, event, change, find), before),
      ),
  }
}

function reduce(state: State, event: SessionEvent, change: Change, find: Find): State {
  return change(state, (draft) => {
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
