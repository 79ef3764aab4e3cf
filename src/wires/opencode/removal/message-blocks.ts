import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import { errorBlockId } from '../../../programs/opencode/tool-result.ts'
import type { Memory } from '../../../reading/context.ts'
import { callOfPart } from '../blocks/calls.ts'
import type { OpencodeContext } from '../context.ts'
import { unnamedBlocks } from '../messages.ts'
import type { MessageRef } from '../place.ts'

/** Returns the blocks of a message in their order, with the results and requests of its calls. */
export function blocksOfMessage(
  ref: MessageRef,
  memory: Memory<OpencodeContext>,
  blocks: readonly ConversationBlock[] = memory.state.blocksOf(ref.conversationId),
): readonly ConversationBlock[] {
  const { messageId } = ref
  const own = new Set([messageId, errorBlockId(messageId), ...unnamedBlocks(ref, memory.notes)])
  const calls = new Set<string>()
  return blocks.filter((block) => {
    const toolUseId = callIdIn(block)
    if (messageIdOf(block) !== messageId && !own.has(block.id)) return calls.has(toolUseId ?? '')
    if (toolUseId !== undefined) calls.add(toolUseId)
    return true
  })
}

/** Returns the blocks of a part: its own one, or those of its call. */
export function blocksOfPart(
  ref: MessageRef,
  partId: string,
  memory: Memory<OpencodeContext>,
): readonly ConversationBlock[] {
  const { conversationId } = ref
  const call = callOfPart(ref, partId, memory)
  if (call) return memory.state.blocksOf(conversationId).filter((block) => callIdIn(block) === call.toolUseId)
  const own = memory.state.findBlock(conversationId, partId)
  return own ? [own] : []
}

function callIdIn(block: ConversationBlock): string | undefined {
  return 'toolUseId' in block ? block.toolUseId : undefined
}
