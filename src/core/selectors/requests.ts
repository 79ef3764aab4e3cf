import type { BlockOf, ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { memoizeWeakly } from './memoize.ts'

/** A request that waits for the person's answer. */
export interface PendingRequest {
  /** `'main'` or the `toolUseId` of the agent that waits. */
  readonly conversationId: string
  readonly block: BlockOf<'request'>
}

/** Returns the open requests of all conversations: main's first, then those of the subagents in their order. */
export function pendingRequests({ blocks, subagents }: SessionConversationState): readonly PendingRequest[] {
  const ofMain = openRequests(blocks).map((block) => ({ conversationId: MAIN, block }))
  const ofSubagents = subagents.flatMap((agent) =>
    openRequests(agent.blocks).map((block) => ({ conversationId: agent.toolUseId, block })),
  )
  return [...ofMain, ...ofSubagents]
}

/**
 * Returns the request that an answer for the id is for: the open one, if several conversations have it. `isMeant` leaves
 * out requests that the answer cannot be for.
 */
export function findRequest(
  { blocks, subagents }: SessionConversationState,
  requestId: string,
  isMeant: (request: BlockOf<'request'>) => boolean = () => true,
): BlockOf<'request'> | undefined {
  const found = [{ blocks }, ...subagents]
    .flatMap((thread) => thread.blocks.find(({ id }) => id === requestId) ?? [])
    .filter((block) => block.type === 'request')
    .filter(isMeant)
  return found.find(({ status }) => status === 'pending') ?? found[0]
}

/** Whether any conversation waits for an answer of the person. */
export function hasPendingRequest({ blocks, subagents }: SessionConversationState): boolean {
  return openRequests(blocks).length > 0 || subagents.some((agent) => openRequests(agent.blocks).length > 0)
}

/**
 * Returns the open requests in a list of blocks. A list is searched once, and the lists of most agents stay the same
 * from state to state.
 */
export const openRequests: (blocks: readonly ConversationBlock[]) => readonly BlockOf<'request'>[] =
  /* @__PURE__ */ memoizeWeakly((blocks: readonly ConversationBlock[]) => {
    const requests: BlockOf<'request'>[] = []
    for (const block of blocks)
      if (block.type === 'request' && block.status === 'pending') requests.push(block)
    return requests
  })
