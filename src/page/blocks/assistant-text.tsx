import type { ReactNode } from 'react'
import type { AssistantTextBlock } from '../../core/state/block.ts'
import { Counted } from '../session/counted.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { Markdown } from '../text/markdown.tsx'
import { When } from '../text/when.tsx'
import { BlockFrame } from './block-frame.tsx'

export function AssistantText({ block }: { readonly block: AssistantTextBlock }): ReactNode {
  const { content, timestamp, status } = block
  return (
    <Counted block={block}>
      <BlockFrame block={block} label="Assistant">
        <Markdown text={content} field="content" />
        {status !== 'pending' && (
          <div className="margin">
            <When timestamp={timestamp} />
            <CopyButton text={content} name="answer" />
          </div>
        )}
      </BlockFrame>
    </Counted>
  )
}
