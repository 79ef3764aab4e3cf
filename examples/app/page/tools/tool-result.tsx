import { type ToolResultBlock, toolResultBlockId } from 'agentfold'
import { useBlock, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { BlockFrame } from '../blocks/block-frame.tsx'
import { InlineImage } from '../blocks/content-part.tsx'
import { oneLine } from '../blocks/one-line.ts'
import { ScrolledText } from '../blocks/scrolled-text.tsx'
import { Counted } from '../session/counted.tsx'
import { callSelector } from './call-selector.ts'
import { Changes, linesText } from './changes.tsx'
import { outputParts, outputText } from './output.ts'

interface CallProps {
  readonly conversationId: string
  readonly toolUseId: string
}

/** The result of a call. Empty until the result arrives. */
export function ToolResult({ conversationId, toolUseId }: CallProps): ReactNode {
  const block = useResult({ conversationId, toolUseId })
  return block && <Result block={block} />
}

/** The start of a result, visible while the call is closed. */
export function ResultPreview({ conversationId, toolUseId }: CallProps): ReactNode {
  const block = useResult({ conversationId, toolUseId })
  if (!block) return null
  const text = outputText(block.output)
  const further = text.trim().split('\n').length - 1
  return (
    <span className={block.isError ? 'result-preview failed' : 'result-preview'}>
      <span className="preview">{oneLine(text.trim().split('\n')[0] ?? '') || 'no output'}</span>
      {further > 0 && <span className="further">+{further}</span>}
      {block.changes && <span className="further">{linesText(block.changes)} lines</span>}
    </span>
  )
}

/** Shows a result at its own place if its call is missing, or if the call shows another result. */
export function UnmatchedToolResult({ block }: { readonly block: ToolResultBlock }): ReactNode {
  const { id, conversationId, toolUseId } = block
  const select = useMemo(() => callSelector(conversationId, toolUseId), [conversationId, toolUseId])
  const hasCall = useSession(select) !== undefined
  return hasCall && id === toolResultBlockId(toolUseId) ? null : <Result block={block} />
}

function Result({ block }: { readonly block: ToolResultBlock }): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={block.isError ? 'Error of the tool' : 'Result'}>
        {outputParts(block.output).map((part, at) =>
          part.type === 'image' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
            <InlineImage key={at} {...part} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
            <ScrolledText key={at} label="Output" field="output">
              {part.text}
            </ScrolledText>
          ),
        )}
        {block.changes && <Changes changes={block.changes} />}
      </BlockFrame>
    </Counted>
  )
}

function useResult({ conversationId, toolUseId }: CallProps): ToolResultBlock | undefined {
  const block = useBlock(conversationId, toolResultBlockId(toolUseId))
  return block?.type === 'tool_result' && block.toolUseId === toolUseId ? block : undefined
}
