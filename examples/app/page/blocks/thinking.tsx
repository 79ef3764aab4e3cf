import type { ThinkingBlock } from 'agentfold'
import type { ReactNode } from 'react'
import { Counted } from '../session/counted.tsx'
import { BlockFrame } from './block-frame.tsx'
import { oneLine } from './one-line.ts'

export function Thinking({ block }: { readonly block: ThinkingBlock }): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label="Thinking">
        {block.redacted && block.content === '' ? (
          <p className="note">Thought, hidden by the provider</p>
        ) : (
          <FoldedThought block={block} />
        )}
      </BlockFrame>
    </Counted>
  )
}

function FoldedThought({ block: { status, content } }: { readonly block: ThinkingBlock }): ReactNode {
  return (
    <details>
      <summary>
        <span className="summary-name">{status === 'pending' ? 'Thinking …' : 'Thought'}</span>
        <span className="preview">{oneLine(content)}</span>
      </summary>
      <div className="text" data-field="content">
        {content}
      </div>
    </details>
  )
}
