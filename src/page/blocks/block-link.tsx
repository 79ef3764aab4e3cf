import type { ConversationBlock } from 'agentfold'
import { type ReactNode, useEffect, useState } from 'react'
import { fragmentOf } from '../rows/place.ts'

/** A link to a block. A click also copies the address. The keyboard reaches it by a key alone: a stop at each block would be too many. */
export function BlockLink({ block }: { readonly block: ConversationBlock }): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const { conversationId, id } = block
  return (
    <a
      className="block-link"
      href={fragmentOf({ conversationId, blockId: id })}
      tabIndex={-1}
      title="Link to this place"
      onClick={({ currentTarget }) => {
        navigator.clipboard.writeText(currentTarget.href).then(
          () => setIsCopied(true),
          // The address bar has the link too.
          () => {},
        )
      }}
    >
      <span aria-hidden="true">{isCopied ? '✓' : '#'}</span>
      <span className="visually-hidden">{isCopied ? 'Link copied' : 'Link to this place'}</span>
    </a>
  )
}

/** Copies the link to the block that has the focus. */
export function copyLink(): void {
  const links = document.activeElement?.closest('[data-block]')?.querySelectorAll<HTMLElement>('.block-link')
  links?.[0]?.click()
}
