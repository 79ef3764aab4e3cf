import type { BlockOf, ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'

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

/** Whether any conversation waits for an answer of the person. */
export function hasPendingRequest({ blocks, subagents }: SessionConversationState): boolean {
  return openRequests(blocks).length > 0 || subagents.some((agent) => openRequests(agent.blocks).length > 0)
}

type OpenRequests = readonly BlockOf<'request'>[]

/** A list of blocks never changes. So each list is searched once, and the lists of most agents stay the same from state to state. */
const requestsOf = /* @__PURE__ */ new WeakMap<readonly ConversationBlock[], OpenRequests>()

function openRequests(blocks: readonly ConversationBlock[]): OpenRequests {
  const known = requestsOf.get(blocks)
  if (known) return known
  const requests: BlockOf<'request'>[] = []
  for (const block of blocks) if (block.type === 'request' && block.status === 'pending') requests.push(block)
  requestsOf.set(blocks, requests)
  return requests
}
