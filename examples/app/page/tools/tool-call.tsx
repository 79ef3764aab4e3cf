import type { ToolUseBlock } from 'agentfold'
import type { ReactNode } from 'react'
import { BlockFrame } from '../blocks/block-frame.tsx'
import { Counted } from '../session/counted.tsx'
import { StatusMark } from '../session/status-mark.tsx'
import { toolHint } from './tool-hint.ts'
import { ToolInput } from './tool-input.tsx'
import { ResultPreview, ToolResult } from './tool-result.tsx'

/** A call with its result, which may come later in the conversation. */
export function ToolCall({ block }: { readonly block: ToolUseBlock }): ReactNode {
  const { toolName, toolUseId, status, input } = block
  const result = { conversationId: block.conversationId, toolUseId }
  return (
    <BlockFrame block={block} label={`Tool ${toolName}`}>
      <details>
        <summary>
          <Counted block={block}>
            <span className="summary-name">{toolName}</span>
            <code className="preview">{toolHint(input)}</code>
            <StatusMark status={status} />
          </Counted>
          <ResultPreview {...result} />
        </summary>
        <ToolInput input={input} />
        <ToolResult {...result} />
      </details>
    </BlockFrame>
  )
}
