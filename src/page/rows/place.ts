/** A block of a conversation. Without a block, it is the conversation of an agent. */
export interface PagePlace {
  readonly conversationId: string
  readonly blockId?: string
}

/**
 * Returns the fragment of the page's address that names a place: `#<block>` in main, `#<block>@<conversation>`
 * elsewhere, `#@<conversation>` for an agent.
 */
export function fragmentOf({ conversationId, blockId = '' }: PagePlace): string {
  const isMain = conversationId === 'main' && blockId !== ''
  return `#${encoded(blockId)}${isMain ? '' : `@${encoded(conversationId)}`}`
}

/** Encodes a text for a part of an address. Half of a character has no code there, so it is `%u` and its UTF-16 unit. */
export function encoded(text: string): string {
  return text.replace(/(\p{Surrogate})|\P{Surrogate}+/gu, (part: string, half?: string) =>
    half === undefined ? encodeURIComponent(part) : `%u${half.charCodeAt(0).toString(16)}`,
  )
}

/** Returns the place that a fragment names; undefined if it names none. */
export function placeIn(fragment: string): PagePlace | undefined {
  const [, block = '', conversation = ''] = /^#([^@]*)(?:@([^@]*))?$/.exec(fragment) ?? []
  const blockId = decoded(block)
  const conversationId = conversation === '' ? 'main' : decoded(conversation)
  if (blockId === undefined || conversationId === undefined || block + conversation === '') return undefined
  return blockId === '' ? { conversationId } : { conversationId, blockId }
}

/** A person may have changed the address. */
function decoded(text: string): string | undefined {
  try {
    const parts = text.split(/%u(d[89a-f][\da-f]{2})/)
    return parts
      .map((part, at) => (at % 2 ? String.fromCharCode(Number.parseInt(part, 16)) : decodeURIComponent(part)))
      .join('')
  } catch {
    return undefined
  }
}
