import { isObject } from '../core/json/values.ts'
import type { BlockOf, ConversationBlock } from '../core/state/block.ts'
import type { UserContentPart } from '../core/state/content.ts'
import { settledText } from '../redaction/settled.ts'

/** A block whose text goes on while it is pending. */
export type GrowingBlock = BlockOf<
  | 'user_message'
  | 'assistant_text'
  | 'thinking'
  | 'skill_load'
  | 'tool_result'
  | 'system'
  | 'tool_use'
  | 'subagent'
>

/** Whether more text may come to the block. The input of a call that waits for its result is whole. */
export function isGrowing(block: ConversationBlock): block is GrowingBlock {
  return block.status === 'pending' && canGrow(block)
}

/** Whether the block has a text that grows. Some programs add to a text that is final. */
export function canGrow(block: ConversationBlock): block is GrowingBlock {
  if (block.type === 'request' || block.type === 'error') return false
  return (block.type !== 'tool_use' && block.type !== 'subagent') || block.inputText !== undefined
}

/** Returns the block without the texts that may still become secrets. */
export function settledBlock(block: GrowingBlock): GrowingBlock {
  switch (block.type) {
    case 'user_message':
      return { ...block, content: settledContent(block.content) }
    case 'tool_result':
      return { ...block, output: settledValue(block.output) }
    case 'system':
      return {
        ...block,
        message: settledText(block.message),
        ...(block.data !== undefined && { data: settledValue(block.data) }),
      }
    // Nothing in half a JSON says where a value ends.
    case 'tool_use':
    case 'subagent':
      return { ...block, inputText: '' }
    default:
      return { ...block, content: settledText(block.content) }
  }
}

/** Returns the number of UTF-16 units in the texts of the block that grow and that a reader may see. */
export function growingLength(block: GrowingBlock): number {
  switch (block.type) {
    case 'user_message':
      return lengthOf(block.content)
    case 'tool_result':
      return lengthOf(block.output)
    case 'system':
      return block.message.length + lengthOf(block.data)
    case 'tool_use':
    case 'subagent':
      return 0
    default:
      return block.content.length
  }
}

function settledContent(content: string | readonly UserContentPart[]): string | readonly UserContentPart[] {
  if (typeof content === 'string') return settledText(content)
  return content.map((part) => (part.type === 'text' ? { ...part, text: settledText(part.text) } : part))
}

function settledValue(value: unknown): unknown {
  if (typeof value === 'string') return settledText(value)
  if (Array.isArray(value)) return value.map(settledValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'type' ? item : settledValue(item)]),
  )
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, item) => sum + lengthOf(item), 0)
}
