import type { ToolUseBlock } from 'agentfold'
import { useToolCall } from 'agentfold/react'
import type { ReactNode } from 'react'
import { BlockFrame } from '../blocks/block-frame.tsx'
import { Counted } from '../session/counted.tsx'
import { StatusMark } from '../session/status-mark.tsx'
import { toolHint } from './tool-hint.ts'
import { StreamedInput, ToolInput } from './tool-input.tsx'
import { ResultPreview, ToolResult } from './tool-result.tsx'

/** A call with its result, which may come later in the conversation. The input grows while it streams. */
export function ToolCall({ block }: { readonly block: ToolUseBlock }): ReactNode {
  const { conversationId, toolName, toolUseId, status } = block
  const { input, request } = useToolCall(conversationId, toolUseId) ?? {}
  const result = { conversationId, toolUseId }
  return (
    <BlockFrame block={block} label={`Tool ${toolName}`}>
      <details>
        <summary>
          <Counted block={block}>
            <span className="summary-name">{toolName}</span>
            <code className="preview">{toolHint(input)}</code>
            <StatusMark status={request ? 'waiting' : status} />
          </Counted>
          {block.inputText !== undefined && status === 'pending' && <StreamedInput input={input} />}
          <ResultPreview {...result} />
        </summary>
        <ToolInput input={input} />
        <ToolResult {...result} />
      </details>
    </BlockFrame>
  )
}
