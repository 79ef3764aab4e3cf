import type { ConversationBlock } from 'agentfold'
import type { ReactNode } from 'react'
import { BlockLink } from './block-link.tsx'

interface BlockFrameProps {
  readonly block: ConversationBlock
  readonly label: string
  /** The colour of an agent, from 0 to 5. */
  readonly tone?: number | undefined
  /** The kind of a tool. */
  readonly kind?: string
  /** Whether it is so small that paper has it on one page. */
  readonly isSmall?: boolean
  readonly children: ReactNode
}

/** The element of a block. A block that still grows is marked as busy, so that screen readers wait for its end. */
export function BlockFrame({ block, label, tone, kind, isSmall, children }: BlockFrameProps): ReactNode {
  return (
    <article
      className={`block ${block.type}`}
      aria-label={label}
      aria-busy={block.type !== 'subagent' && block.type !== 'request' && block.status === 'pending'}
      data-conversation={block.conversationId}
      data-block={block.id}
      data-type={block.type}
      data-status={block.status}
      data-tone={tone}
      data-kind={kind}
      data-small={isSmall || undefined}
    >
      {block.type !== 'tool_result' && <BlockLink block={block} />}
      {children}
    </article>
  )
}
