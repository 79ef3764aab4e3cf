import type { Conversation } from './conversation.ts'

/**
 * Conversations in the order in which they ended. In chunks: adding one to 100,000, or dropping the oldest, copies a few
 * hundred references and not all of them. A conversation's number alone tells its chunk, so equal lists are deep-equal.
 */
export interface EndedConversations {
  readonly count: number
  /** How many were dropped before the first one. */
  readonly dropped: number
  readonly chunks: readonly (readonly Conversation[])[]
}

export const NONE_ENDED: EndedConversations = Object.freeze({
  count: 0,
  dropped: 0,
  chunks: Object.freeze([]),
})

const CHUNK = 256

/** Returns the conversations of a list, after so many that were dropped. */
export function endedFrom(list: readonly Conversation[], dropped: number): EndedConversations {
  const chunks: (readonly Conversation[])[] = []
  let from = 0
  for (let to = CHUNK - (dropped % CHUNK); from < list.length; to += CHUNK) {
    chunks.push(list.slice(from, to))
    from = to
  }
  return { count: list.length, dropped, chunks }
}

/** Returns the last ones, the newest first. */
export function newestEnded({ chunks }: EndedConversations, count: number): readonly Conversation[] {
  const newest: Conversation[] = []
  for (let at = chunks.length - 1; at >= 0 && newest.length < count; at -= 1)
    newest.push(...[...(chunks[at] ?? [])].reverse())
  return newest.slice(0, count)
}

export function findEnded({ chunks }: EndedConversations, id: string): Conversation | undefined {
  for (const chunk of chunks)
    for (const conversation of chunk) if (conversation.id === id) return conversation
  return undefined
}

export function withEnded(ended: EndedConversations, conversation: Conversation): EndedConversations {
  const { count, dropped, chunks } = ended
  const isFull = (dropped + count) % CHUNK === 0
  const last = isFull ? undefined : chunks.at(-1)
  const others = last ? chunks.slice(0, -1) : chunks
  return { dropped, count: count + 1, chunks: [...others, [...(last ?? []), conversation]] }
}

/** Returns the list with another conversation in the place of one of its own. */
export function withReplaced(
  ended: EndedConversations,
  before: Conversation,
  after: Conversation,
): EndedConversations {
  const chunks = ended.chunks.map((chunk) =>
    chunk.includes(before) ? chunk.map((each) => (each === before ? after : each)) : chunk,
  )
  return { ...ended, chunks }
}

/** Drops the oldest ones; `count` may be more than there are. */
export function withoutOldest(
  ended: EndedConversations,
  count: number,
): { readonly ended: EndedConversations; readonly dropped: readonly Conversation[] } {
  const dropped: Conversation[] = []
  let chunks = ended.chunks
  while (dropped.length < count && chunks[0]) {
    const [first, ...others] = chunks
    const left = first.slice(count - dropped.length)
    dropped.push(...first.slice(0, first.length - left.length))
    chunks = left.length === 0 ? others : [left, ...others]
  }
  if (dropped.length === 0) return { ended, dropped }
  return {
    dropped,
    ended: { chunks, count: ended.count - dropped.length, dropped: ended.dropped + dropped.length },
  }
}
