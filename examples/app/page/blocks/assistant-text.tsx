import type { AssistantTextBlock } from 'agentfold'
import type { ReactNode } from 'react'
import { Counted } from '../session/counted.tsx'
import { BlockFrame } from './block-frame.tsx'

export function AssistantText({ block }: { readonly block: AssistantTextBlock }): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label="Assistant">
        <div className="text" data-field="content">
          {block.content}
        </div>
      </BlockFrame>
    </Counted>
  )
}
