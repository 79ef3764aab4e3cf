import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useState,
} from 'react'
import type { PendingRequest } from '../../core/selectors/requests.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { callAll, Listeners } from '../../core/store/listeners.ts'
import type { SessionStore } from '../../core/store/store.ts'
import { blocksOf } from './lookups.ts'

interface Session {
  readonly store: SessionStore
  readonly getServerState: () => SessionConversationState
  readonly blockListeners: BlockListeners
  readonly kept: KeptRequests
}

const SessionContext = /* @__PURE__ */ createContext<Session | null>(null)

/** The session for the components inside the provider. */
export interface SessionProviderProps {
  readonly store: SessionStore
  /**
   * The state that the server rendered. The default is the store's state at the provider's first render. Pass it if
   * events can arrive before React hydrates the page.
   */
  readonly serverState?: SessionConversationState
  readonly children?: ReactNode
}

/** Provides a session to the components inside it. Each hook throws an `Error` outside a provider. */
export function SessionProvider({ store, serverState, children }: SessionProviderProps): ReactElement {
  // React may hydrate parts of a page late. They too must start with the state that the server rendered.
  const [firstState] = useState(() => store.getState())
  const hydrationState = serverState ?? firstState
  const session = useMemo(
    () => ({
      store,
      getServerState: () => hydrationState,
      blockListeners: new BlockListeners(store),
      kept: new KeptRequests(),
    }),
    [store, hydrationState],
  )
  return createElement(SessionContext.Provider, { value: session }, children)
}

/** Returns the session of the nearest provider. Throws an `Error` if there is none. */
export function useSessionContext(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('no session: put a <SessionProvider store={…}> above this component')
  return session
}

/** Returns the store of the nearest provider, for dispatching events. Throws an `Error` if there is none. */
export function useSessionStore(): SessionStore {
  return useSessionContext().store
}

/**
 * The requests whose forms a person has touched. Without them a form would go with its request, together with the
 * person's words and the reason of a failure. Each is a form's own object.
 */
class KeptRequests {
  readonly #listeners = new Listeners()
  #all: readonly PendingRequest[] = []
  /** The requests as a component showed them last. */
  shown: readonly PendingRequest[] = []

  readonly get = (): readonly PendingRequest[] => this.#all

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.subscribe(listener)

  /** Returns a function that releases the request. */
  keep(request: PendingRequest): () => void {
    this.#set([...this.#all, request])
    return () => this.#set(this.#all.filter((each) => each !== request))
  }

  #set(all: readonly PendingRequest[]): void {
    this.#all = all
    callAll(this.#listeners.all())
  }
}

/** Returns the open requests, and each kept one behind the last of those that were shown before it and are still there. */
export function withKept(
  open: readonly PendingRequest[],
  kept: readonly PendingRequest[],
  shown: readonly PendingRequest[],
): readonly PendingRequest[] {
  const all = [...open]
  const placeOf = (request: PendingRequest): number => all.findIndex((each) => isSameRequest(each, request))
  for (const [at, place] of [...shown, ...kept].entries()) {
    const request = kept.find((each) => isSameRequest(each, place))
    if (!request || placeOf(request) >= 0) continue
    const before = shown.slice(0, at).findLast((each) => placeOf(each) >= 0)
    all.splice(before ? placeOf(before) + 1 : 0, 0, request)
  }
  return all.length === open.length ? open : all
}

/** Whether both are the request of one id, open or not. */
export function isSameRequest(left: PendingRequest, right: PendingRequest): boolean {
  return left.conversationId === right.conversationId && left.block.id === right.block.id
}

type ListenersByBlock = Map<string, Set<() => void>>

/**
 * Notifies a component when its block changed, and no other component. On a page with ten thousand blocks, a check of
 * every block with every frame costs more than the delta's fold and render.
 */
class BlockListeners {
  readonly #store: SessionStore
  readonly #conversations = new Map<string, ListenersByBlock>()
  #state: SessionConversationState
  #unsubscribe: (() => void) | undefined

  constructor(store: SessionStore) {
    this.#store = store
    this.#state = store.getState()
  }

  /**
   * Calls the listener when the block appears, changes or disappears. The id of a call also stands for the call's
   * result and request. Returns a function that ends the subscription.
   */
  subscribe(conversationId: string, blockId: string, listener: () => void): () => void {
    if (!this.#unsubscribe) {
      this.#state = this.#store.getState()
      this.#unsubscribe = this.#store.subscribe(() => this.#notify())
    }
    const byBlock = getOrInsert(this.#conversations, conversationId, () => new Map())
    const listeners = getOrInsert(byBlock, blockId, () => new Set())
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && byBlock.get(blockId) === listeners) byBlock.delete(blockId)
      if (byBlock.size === 0 && this.#conversations.get(conversationId) === byBlock)
        this.#removeConversation(conversationId)
    }
  }

  #removeConversation(conversationId: string): void {
    this.#conversations.delete(conversationId)
    if (this.#conversations.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #notify(): void {
    const before = this.#state
    const after = this.#store.getState()
    this.#state = after
    for (const [conversationId, byBlock] of this.#conversations) {
      if (conversationId !== MAIN && before.subagents === after.subagents) continue
      for (const blockId of changedBlockIds(
        blocksOf(before, conversationId),
        blocksOf(after, conversationId),
      ))
        for (const listener of byBlock.get(blockId) ?? []) listener()
    }
  }
}

/**
 * Returns the ids of the blocks that differ between the first and the last difference of the two lists. A call, its
 * result and its request also count as a change of the call's id.
 */
function changedBlockIds(
  before: readonly ConversationBlock[],
  after: readonly ConversationBlock[],
): ReadonlySet<string> {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const changed = new Set<string>()
  for (const blocks of [before, after])
    for (let at = start; at < blocks.length - end; at += 1)
      if (before[at] !== after[at]) for (const id of idsOf(blocks[at])) changed.add(id)
  return changed
}

function idsOf(block: ConversationBlock | undefined): readonly string[] {
  if (!block) return []
  return 'toolUseId' in block && block.toolUseId !== undefined ? [block.id, block.toolUseId] : [block.id]
}

function getOrInsert<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}
