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
  return `#${encodeURIComponent(blockId)}${isMain ? '' : `@${encodeURIComponent(conversationId)}`}`
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
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
