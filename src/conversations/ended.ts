import type { Conversation } from './conversation.ts'

/**
 * Ended conversations in the order of their end, in chunks of 256. Adding one to 100,000, or dropping the oldest,
 * copies a few hundred references instead of all of them. A conversation's number alone decides its chunk, so equal
 * lists are deep-equal.
 */
export interface EndedConversations {
  readonly count: number
  /** The number of dropped conversations before the first one. */
  readonly dropped: number
  readonly chunks: readonly (readonly Conversation[])[]
}

export const NO_CONVERSATIONS: EndedConversations = Object.freeze({
  count: 0,
  dropped: 0,
  chunks: Object.freeze([]),
})

const CHUNK_SIZE = 256

/** Puts a list of conversations into chunks. `dropped` conversations came before the list. */
export function toEndedConversations(list: readonly Conversation[], dropped: number): EndedConversations {
  const chunks: (readonly Conversation[])[] = []
  let from = 0
  for (let to = CHUNK_SIZE - (dropped % CHUNK_SIZE); from < list.length; to += CHUNK_SIZE) {
    chunks.push(list.slice(from, to))
    from = to
  }
  return { count: list.length, dropped, chunks }
}

/** Returns the last conversations, the newest first. */
export function newestEnded({ chunks }: EndedConversations, count: number): readonly Conversation[] {
  const newest: Conversation[] = []
  for (let at = chunks.length - 1; at >= 0 && newest.length < count; at -= 1)
    newest.push(...[...(chunks[at] ?? [])].reverse())
  return newest.slice(0, count)
}

/** The place of a conversation in its chunk. */
interface Position {
  readonly chunk: number
  readonly at: number
}

/** Returns the position of an ended conversation. */
export function findEnded({ chunks }: EndedConversations, id: string): Position | undefined {
  for (const [chunk, conversations] of chunks.entries()) {
    const at = conversations.findIndex((conversation) => conversation.id === id)
    if (at !== -1) return { chunk, at }
  }
  return undefined
}

/** Returns the item at a position, also in a draft. */
export function itemAt<Item>(
  { chunks }: { readonly chunks: readonly (readonly Item[])[] },
  position: Position | undefined,
): Item | undefined {
  return position && chunks[position.chunk]?.[position.at]
}

/** Adds a conversation at the end. It uses no recipe: immer would visit every message of the conversation. */
export function addEnded(ended: EndedConversations, conversation: Conversation): EndedConversations {
  const { count, dropped, chunks } = ended
  const isFull = (dropped + count) % CHUNK_SIZE === 0
  const last = isFull ? undefined : chunks.at(-1)
  const others = last ? chunks.slice(0, -1) : chunks
  return { dropped, count: count + 1, chunks: [...others, [...(last ?? []), conversation]] }
}

/**
 * Drops the oldest conversations; `count` may be more than there are. It uses no recipe: immer would move each chunk
 * through a proxy.
 */
export function dropOldest(
  ended: EndedConversations,
  count: number,
): { readonly ended: EndedConversations; readonly dropped: readonly Conversation[] } {
  const dropped: Conversation[] = []
  let chunks = ended.chunks
  while (dropped.length < count && chunks[0]) {
    const [first, ...others] = chunks
    const kept = first.slice(count - dropped.length)
    dropped.push(...first.slice(0, first.length - kept.length))
    chunks = kept.length === 0 ? others : [kept, ...others]
  }
  if (dropped.length === 0) return { ended, dropped }
  return {
    dropped,
    ended: { chunks, count: ended.count - dropped.length, dropped: ended.dropped + dropped.length },
  }
}
