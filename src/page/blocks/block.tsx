import type { ConversationBlock } from 'agentfold'
import { useBlock } from 'agentfold/react'
import { type MemoExoticComponent, memo, type ReactNode } from 'react'
import { blockText } from '../search/search-blocks.ts'
import { ErrorBoundary } from '../text/error-boundary.tsx'
import { OutputText } from '../text/output-text.tsx'
import { ToolCall } from '../tools/tool-call.tsx'
import { ToolResult } from '../tools/tool-result.tsx'
import { AssistantText } from './assistant-text.tsx'
import { BlockFrame } from './block-frame.tsx'
import { ErrorNote, SkillNote, SystemNote } from './notes.tsx'
import { Request } from './request.tsx'
import { Subagent } from './subagent.tsx'
import { Thinking } from './thinking.tsx'
import { UserMessage } from './user-message.tsx'

/** A block of any type. It renders again only when this block changes. */
export const Block: MemoExoticComponent<typeof AnyBlock> = memo(AnyBlock)

interface BlockProps {
  readonly conversationId: string
  readonly blockId: string
}

function AnyBlock({ conversationId, blockId }: BlockProps): ReactNode {
  const block = useBlock(conversationId, blockId)
  if (!block) return null
  return (
    <ErrorBoundary value={block} fallback={() => <PlainBlock block={block} />}>
      {view(block)}
    </ErrorBoundary>
  )
}

/** The text of a block whose view has failed. */
function PlainBlock({ block }: { readonly block: ConversationBlock }): ReactNode {
  return (
    <BlockFrame block={block} label="Block as text">
      <OutputText text={blockText(block)} label="Text" field="text" />
    </BlockFrame>
  )
}

function view(block: ConversationBlock): ReactNode {
  switch (block.type) {
    case 'user_message':
      return <UserMessage block={block} />
    case 'assistant_text':
      return <AssistantText block={block} />
    case 'thinking':
      return <Thinking block={block} />
    case 'tool_use':
      return <ToolCall block={block} />
    case 'tool_result':
      return <ToolResult block={block} />
    case 'request':
      return <Request block={block} />
    case 'subagent':
      return <Subagent block={block} />
    case 'system':
      return <SystemNote block={block} />
    case 'error':
      return <ErrorNote block={block} />
    case 'skill_load':
      return <SkillNote block={block} />
  }
}
