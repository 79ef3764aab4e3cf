import { isEqual } from '../core/json/equal.ts'
import { isObject } from '../core/json/values.ts'
import type { BlockOf, ConversationBlock } from '../core/state/block.ts'
import type { UserContentPart } from '../core/state/content.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { settledText } from '../redaction/private-keys.ts'

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
function settledBlock(block: GrowingBlock): GrowingBlock {
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

/** A longer text is looked at after it has grown by a part of its length. So its cost is in proportion to its length. */
const SHORT = 1_000
const STEP = 1.02

/** The part of a growing block that readers have. */
interface Shown {
  readonly block: GrowingBlock
  /** The length of the whole block at that time, in UTF-16 units. */
  readonly length: number
}

/** Holds back the texts of growing blocks that may still become secrets: half of a key is no key for a rule. */
export class SettledTexts {
  readonly #shown = new Map<string, Shown>()

  /** Returns the state that readers may have, before its redaction. */
  settle(state: SessionConversationState): SessionConversationState {
    const growing = new Set<string>()
    const settle = (block: ConversationBlock) => {
      if (!isGrowing(block)) return block
      growing.add(keyOf(block))
      return this.settleBlock(block)
    }
    const blocks = state.blocks.map(settle)
    const subagents = state.subagents.map((agent) => ({ ...agent, blocks: agent.blocks.map(settle) }))
    for (const key of this.#shown.keys()) if (!growing.has(key)) this.#shown.delete(key)
    // Nothing comes to a branch any more, so its blocks stay as they are.
    const branches = state.branches?.map((branch) => ({ ...branch, blocks: branch.blocks.map(settleAlone) }))
    return { ...state, blocks, subagents, ...(branches && { branches }) }
  }

  /** Returns the block that readers may have. It is the same one until there is more for them. */
  settleBlock(block: GrowingBlock): GrowingBlock {
    const key = keyOf(block)
    const shown = this.#shown.get(key)
    const length = growingLength(block)
    if (shown && length > SHORT && length >= shown.length && length < shown.length * STEP) return shown.block
    const settled = settledBlock(block)
    const kept = shown && isEqual(settled, shown.block) ? shown.block : settled
    this.#shown.set(key, { block: kept, length })
    return kept
  }

  /** Forgets a block that is final. */
  forget(block: Pick<ConversationBlock, 'conversationId' | 'id'>): void {
    this.#shown.delete(keyOf(block))
  }
}

function settleAlone(block: ConversationBlock): ConversationBlock {
  return isGrowing(block) ? settledBlock(block) : block
}

/** Returns a name for the block that no other one of the session has. */
export function keyOf({ conversationId, id }: Pick<ConversationBlock, 'conversationId' | 'id'>): string {
  return `${conversationId}\n${id}`
}
