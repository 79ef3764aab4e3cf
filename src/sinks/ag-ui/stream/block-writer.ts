import { assertNever } from '../../../json/assert-never.ts'
import { isEqual } from '../../../json/equal.ts'
import type { BlockOf, ConversationBlock } from '../../../state/block.ts'
import {
  activity,
  agentResult,
  isPaired,
  resultMessage,
  type ToolMessage,
} from '../messages/block-messages.ts'
import { attribution } from '../messages/ids.ts'
import type { Pairs } from '../messages/pairs.ts'
import type { BlockChange } from './changes.ts'
import type { RunWriter } from './run-writer.ts'
import { writeCall } from './write-call.ts'
import { writeText } from './write-text.ts'

/** The conversation of a block, and the place where its events go. */
export interface BlockContext {
  readonly writer: RunWriter
  readonly conversationId: string
  readonly pairs: Pairs
}

/** Writes a block that is new or has changed. Returns false if no event can, and a snapshot has to replace the message. */
export function writeBlock({ before, after }: BlockChange, context: BlockContext): boolean {
  switch (after.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
      return writeText(sameType(before, after), after, context)
    case 'tool_use':
      if (context.pairs.call(after) !== after) return writeActivity(before, after, context)
      return writeCall(sameType(before, after), after, context)
    case 'tool_result':
      if (!isPaired(after, context.pairs)) return writeActivity(before, after, context)
      return writeResult(toolResult(before, context), toolResult(after, context), context)
    case 'subagent': {
      if (context.pairs.call(after) !== after) return writeActivity(before, after, context)
      const isCallWritten = writeCall(sameType(before, after), after, context)
      const known = sameType(before, after)
      const result = known && agentResult(known, context.conversationId).result
      return writeResult(result, agentResult(after, context.conversationId).result, context) && isCallWritten
    }
    case 'request':
    case 'system':
    case 'error':
    case 'skill_load':
      return writeActivity(before, after, context)
    default:
      return assertNever(after)
  }
}

function sameType<Block extends ConversationBlock>(
  before: ConversationBlock | undefined,
  after: Block,
): Block | undefined {
  return isLike(before, after) ? before : undefined
}

function isLike<Block extends ConversationBlock>(
  block: ConversationBlock | undefined,
  other: Block,
): block is Block {
  return block?.type === other.type
}

function toolResult(
  block: ConversationBlock | undefined,
  { conversationId }: BlockContext,
): ToolMessage | undefined {
  return block?.type === 'tool_result' && block.status !== 'pending'
    ? resultMessage(block, conversationId)
    : undefined
}

function writeResult(
  before: ToolMessage | undefined,
  after: ToolMessage | undefined,
  { writer, conversationId }: BlockContext,
): boolean {
  if (before || !after) return isEqual(before, after)
  const { id: messageId, role, toolCallId, content, metadata } = after
  writer.write({
    type: 'TOOL_CALL_RESULT',
    messageId,
    toolCallId,
    role,
    content,
    ...(metadata && { metadata }),
    ...attribution(conversationId),
  })
  return true
}

function writeActivity(
  before: ConversationBlock | undefined,
  after: BlockOf<ConversationBlock['type']>,
  { writer, conversationId }: BlockContext,
): boolean {
  const { id: messageId, activityType, content, subagentRunId } = activity(after, conversationId)
  if (before && isEqual(activity(before, conversationId).content, content)) return true
  writer.write({
    type: 'ACTIVITY_SNAPSHOT',
    messageId,
    activityType,
    content,
    replace: true,
    ...(subagentRunId !== undefined && { subagentRunId }),
  })
  return true
}
