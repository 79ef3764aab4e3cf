import {
  type ConversationBlock,
  findConversation,
  type SessionConversationState,
  type SessionStore,
} from 'agentfold'
import { subagentBlockId } from 'agentfold/source-kit'
import { createContext, type Provider, useContext, useSyncExternalStore } from 'react'
import type { Filter } from './filter.ts'
import { Hold } from './hold.ts'
import type { OpenState } from './open-state.tsx'
import { fragmentOf, type PagePlace, placeIn } from './place.ts'
import { type CurrentPlace, ReaderPlace } from './reader-place.ts'
import { rowKey, runKey } from './row.ts'
import { ConversationShape } from './shape.ts'

/** In ms. */
const STEP_MS = 1500

/** Brings parts of the session into view, also those that are closed or far away. */
export class Navigator {
  readonly #store: SessionStore
  readonly #open: OpenState
  readonly filter: Filter
  readonly place: ReaderPlace = new ReaderPlace()
  readonly hold: Hold = new Hold()
  #show: (key: string) => void = () => {}
  #visited = ''
  #visitedAt = Number.NEGATIVE_INFINITY

  constructor(store: SessionStore, open: OpenState, filter: Filter) {
    this.filter = filter
    this.#store = store
    this.#open = open
  }

  /** Sets the function that scrolls to a row. */
  readonly setShow = (show: (key: string) => void): void => {
    this.#show = show
  }

  /**
   * Goes to the place that the address names, now or when the session has it, and each time the address changes.
   * Returns a function that ends it.
   */
  readonly followAddress = (): (() => void) => {
    const go = (): boolean => {
      const place = placeIn(location.hash)
      const isThere = place !== undefined && hasPlace(this.#store.getState(), place)
      if (isThere) this.#goTo(place)
      return isThere || place === undefined
    }
    const unsubscribe = go() ? undefined : this.#store.subscribe(() => go() && unsubscribe?.())
    const onHashChange = (): void => void (location.hash === this.#visited || go())
    window.addEventListener('hashchange', onHashChange)
    return () => {
      window.removeEventListener('hashchange', onHashChange)
      unsubscribe?.()
    }
  }

  /** Opens what is around the agent, and scrolls to the start of its conversation. */
  goToAgent(id: string): void {
    this.#visit({ conversationId: id })
    this.#showAgent(id)
  }

  /** Opens what is around the block and the block itself, and scrolls to it. */
  goToBlock(conversationId: string, blockId: string, opensBlock = true): void {
    this.#visit({ conversationId, blockId })
    this.#showBlock(conversationId, blockId, opensBlock)
  }

  /** Opens the page at a block. The address stays as it is. */
  openAt(conversationId: string, blockId: string): void {
    this.#showBlock(conversationId, blockId, false)
  }

  #goTo({ conversationId, blockId }: PagePlace): void {
    this.#visited = location.hash
    if (blockId === undefined) this.#showAgent(conversationId)
    else this.#showBlock(conversationId, blockId, false)
  }

  /** Makes the place the page's address, so that the reader comes back to it. Steps in quick succession are one. */
  #visit(place: PagePlace): void {
    const isStep = performance.now() - this.#visitedAt < STEP_MS
    this.#visitedAt = performance.now()
    this.#visited = fragmentOf(place)
    if (isStep) location.replace(this.#visited)
    else location.hash = this.#visited
  }

  #showAgent(id: string): void {
    if (this.filter.agentId !== undefined) this.filter.showAgent(undefined)
    if (id === 'main') this.#show('')
    else {
      const place = placeOfAgent(this.#store.getState(), id)
      if (place) this.#showBlock(place.conversationId, place.blockId, false)
      else this.#reveal(rowKey(id, 'orphan'), [rowKey(id, 'orphan')])
    }
  }

  #showBlock(conversationId: string, blockId: string, opensBlock: boolean): void {
    const state = this.#store.getState()
    this.#unhide(findConversation(state, conversationId)?.blocks.find(({ id }) => id === blockId))
    const shown = shownBlock(state, conversationId, blockId)
    const key = rowKey(conversationId, shown)
    const around = [...agentsAround(state, conversationId), ...this.#runAround(state, conversationId, shown)]
    this.#reveal(key, opensBlock ? [...around, key] : around)
  }

  /** The filter must not hide what the reader asks for. */
  #unhide(block: ConversationBlock | undefined): void {
    const { filter } = this
    if (filter.agentId !== undefined || (block && !filter.shows(block))) filter.reset()
  }

  #runAround(state: SessionConversationState, conversationId: string, blockId: string): readonly string[] {
    const blocks = findConversation(state, conversationId)?.blocks ?? []
    const run = new ConversationShape()
      .update(
        blocks.filter((block) => this.filter.shows(block)),
        true,
      )
      .find((part) => part.type === 'run' && part.blockIds.includes(blockId))
    return run?.type === 'run' ? [runKey(conversationId, run.blockIds[0] ?? '')] : []
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

export function useReaderPlace(): CurrentPlace {
  const { place } = useNavigator()
  return useSyncExternalStore(place.subscribe, place.get)
}

/** A call shows its result and its requests, so their rows are the call's. */
function shownBlock(state: SessionConversationState, conversationId: string, blockId: string): string {
  const blocks = findConversation(state, conversationId)?.blocks ?? []
  const block = blocks.find(({ id }) => id === blockId)
  if (block?.type !== 'tool_result' && block?.type !== 'request') return blockId
  return blocks.find((each) => each.type === 'tool_use' && each.toolUseId === block.toolUseId)?.id ?? blockId
}

function hasPlace(state: SessionConversationState, { conversationId, blockId }: PagePlace): boolean {
  const thread = findConversation(state, conversationId)
  return thread !== undefined && (blockId === undefined || thread.blocks.some(({ id }) => id === blockId))
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
