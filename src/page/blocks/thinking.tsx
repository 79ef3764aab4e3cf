import type { ReactNode } from 'react'
import type { ThinkingBlock } from '../../core/state/block.ts'
import { Details } from '../rows/details.tsx'
import { rowKey } from '../rows/row.ts'
import { Counted } from '../session/counted.tsx'
import { Markdown } from '../text/markdown.tsx'
import { plainLine } from '../text/plain-line.ts'
import { BlockFrame } from './block-frame.tsx'

export function Thinking({ block }: { readonly block: ThinkingBlock }): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label="Thinking">
        {block.content === '' && block.status !== 'pending' ? (
          <p className="note">{block.redacted ? 'Thought, hidden by the provider' : 'Thought'}</p>
        ) : (
          <FoldedThought block={block} />
        )}
      </BlockFrame>
    </Counted>
  )
}

function FoldedThought({ block }: { readonly block: ThinkingBlock }): ReactNode {
  const { conversationId, id, status, content } = block
  return (
    <Details
      id={rowKey(conversationId, id)}
      summary={
        <>
          <span className="summary-name">{status === 'pending' ? 'Thinking …' : 'Thought'}</span>
          <span className="preview">{plainLine(content)}</span>
        </>
      }
    >
      {() => <Markdown text={content} field="content" />}
    </Details>
  )
}
