import { type ToolResultBlock, toolResultBlockId } from 'agentfold'
import { useBlock, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { BlockFrame } from './block-frame.tsx'
import { callSelector } from './call-selector.ts'
import { InlineImage } from './content-part.tsx'
import { Counted } from './counted.tsx'
import { oneLine } from './one-line.ts'
import { outputParts, outputText } from './output.ts'
import { ScrolledText } from './scrolled-text.tsx'

interface CallProps {
  readonly conversationId: string
  readonly toolUseId: string
}

/** The result of a call, once it is there. */
export function ToolResult({ conversationId, toolUseId }: CallProps): ReactNode {
  const block = useResult({ conversationId, toolUseId })
  return block && <Result block={block} />
}

/** How a result begins, for who does not unfold it. */
export function ResultPreview({ conversationId, toolUseId }: CallProps): ReactNode {
  const block = useResult({ conversationId, toolUseId })
  if (!block) return null
  const text = outputText(block.output)
  const further = text.trim().split('\n').length - 1
  return (
    <span className={block.isError ? 'result-preview failed' : 'result-preview'}>
      <span className="preview">{oneLine(text.trim().split('\n')[0] ?? '') || 'no output'}</span>
      {further > 0 && <span className="further">+{further}</span>}
    </span>
  )
}

/** Stands in its own place if there is no call to stand beside, or if it is not the one that the call looks for. */
export function LoneToolResult({ block }: { readonly block: ToolResultBlock }): ReactNode {
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
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing else, and keep their places
            <InlineImage key={at} {...part} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing else, and keep their places
            <ScrolledText key={at} label="Output" field="output">
              {part.text}
            </ScrolledText>
          ),
        )}
      </BlockFrame>
    </Counted>
  )
}

function useResult({ conversationId, toolUseId }: CallProps): ToolResultBlock | undefined {
  const block = useBlock(conversationId, toolResultBlockId(toolUseId))
  return block?.type === 'tool_result' && block.toolUseId === toolUseId ? block : undefined
}
