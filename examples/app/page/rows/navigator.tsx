import {
  findConversation,
  type SessionConversationState,
  type SessionStore,
  subagentBlockId,
} from 'agentfold'
import { createContext, type Provider, useContext } from 'react'
import type { OpenState } from './open-state.tsx'
import { rowKey, runKey } from './row.ts'
import { ConversationShape } from './shape.ts'

/** Brings parts of the session into view, also those that are closed or far away. */
export class Navigator {
  readonly #store: SessionStore
  readonly #open: OpenState
  #show: (key: string) => void = () => {}

  constructor(store: SessionStore, open: OpenState) {
    this.#store = store
    this.#open = open
  }

  /** Sets the function that scrolls to a row. */
  readonly setShow = (show: (key: string) => void): void => {
    this.#show = show
  }

  /** Opens what is around the agent, and scrolls to the start of its conversation. */
  goToAgent(id: string): void {
    const state = this.#store.getState()
    if (id === 'main') this.#show('')
    else {
      const place = placeOfAgent(state, id)
      if (place) this.goToBlock(place.conversationId, place.blockId, false)
      else this.#reveal(rowKey(id, 'orphan'), [rowKey(id, 'orphan')])
    }
  }

  /** Opens what is around the block and the block itself, and scrolls to it. */
  goToBlock(conversationId: string, blockId: string, opensBlock = true): void {
    const state = this.#store.getState()
    const shown = shownBlock(state, conversationId, blockId)
    const key = rowKey(conversationId, shown)
    const around = [...agentsAround(state, conversationId), ...runAround(state, conversationId, shown)]
    this.#reveal(key, opensBlock ? [...around, key] : around)
  }

  #reveal(key: string, opened: readonly string[]): void {
    this.#open.open(opened)
    this.#show(key)
  }
}

const NavigatorContext = createContext<Navigator | undefined>(undefined)

export const NavigatorProvider: Provider<Navigator | undefined> = NavigatorContext.Provider

export function useNavigator(): Navigator {
  const navigator = useContext(NavigatorContext)
  if (!navigator) throw new Error('no navigator above this component')
  return navigator
}

/** A call shows its result and its requests, so their rows are the call's. */
function shownBlock(state: SessionConversationState, conversationId: string, blockId: string): string {
  const blocks = findConversation(state, conversationId)?.blocks ?? []
  const block = blocks.find(({ id }) => id === blockId)
  if (block?.type !== 'tool_result' && block?.type !== 'request') return blockId
  return blocks.find((each) => each.type === 'tool_use' && each.toolUseId === block.toolUseId)?.id ?? blockId
}

/** Returns the place of the block that stands for an agent. */
function placeOfAgent(
  { blocks, subagents }: SessionConversationState,
  id: string,
): { readonly conversationId: string; readonly blockId: string } | undefined {
  const blockId = subagentBlockId(id)
  const threads = [{ toolUseId: 'main', blocks }, ...subagents]
  const parent = threads.find((thread) => thread.blocks.some((block) => block.id === blockId))
  return parent && { conversationId: parent.toolUseId, blockId }
}

function agentsAround(state: SessionConversationState, conversationId: string): readonly string[] {
  const keys: string[] = []
  const seen = new Set<string>()
  for (let id = conversationId; id !== 'main' && !seen.has(id); ) {
    seen.add(id)
    const place = placeOfAgent(state, id)
    keys.push(place ? rowKey(place.conversationId, place.blockId) : rowKey(id, 'orphan'))
    id = place?.conversationId ?? 'main'
  }
  return keys
}

function runAround(
  state: SessionConversationState,
  conversationId: string,
  blockId: string,
): readonly string[] {
  const blocks = findConversation(state, conversationId)?.blocks ?? []
  const run = new ConversationShape()
    .update(blocks, true)
    .find((part) => part.type === 'run' && part.blockIds.includes(blockId))
  return run?.type === 'run' ? [runKey(conversationId, run.blockIds[0] ?? '')] : []
}
