import { appendTo } from '../../../json/append.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { answeredCalls } from '../../../selectors/find.ts'
import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import { type BlockOf, type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import { copyMessage, type MessageBlock, type ModelMessage } from '../memory.ts'
import { collect, type ResumedThread } from './collect.ts'

/** Returns the model messages of a conversation, as the entry of a map by conversation. */
export function resumedMessages({
  id,
  blocks,
  usage,
}: ResumedThread): readonly (readonly [string, PersistentMap<ModelMessage>])[] {
  const messages = new Map<string, ModelMessage>()
  for (const { messageId, final, model, ...tokens } of usage)
    messages.set(messageId, copyMessage({ blocks: [], usage: tokens, model, isUsageFinal: final }))
  for (const [messageId, ofMessage] of blocksByMessage(blocks)) {
    messages.set(
      messageId,
      copyMessage({ isUsageFinal: false, ...messages.get(messageId), blocks: ofMessage }),
    )
  }
  return messages.size === 0 ? [] : [[id, new PersistentMap(messages)]]
}

function blocksByMessage(blocks: readonly ConversationBlock[]): ReadonlyMap<string, readonly MessageBlock[]> {
  const byMessage = new Map<string, MessageBlock[]>()
  for (const block of blocks) {
    const messageId = messageIdOf(block)
    if (messageId === undefined) continue
    const known = byMessage.get(messageId) ?? []
    const resumed = messageBlock(block, { messageId, next: (known.at(-1)?.index ?? -1) + 1 })
    if (resumed) byMessage.set(messageId, appendTo(known, resumed))
  }
  return byMessage
}

interface BlockPlace {
  readonly messageId: string
  /** The index of a block whose id does not state it. */
  readonly next: number
}

function messageBlock(block: ConversationBlock, { messageId, next }: BlockPlace): MessageBlock | undefined {
  const { id, status } = block
  switch (block.type) {
    case 'subagent':
      return {
        id,
        contentType: 'tool_use',
        toolUseId: block.toolUseId,
        index: next,
        isWhole: status !== 'pending',
      }
    case 'tool_use':
      return omitUndefined({
        id,
        contentType: 'tool_use',
        toolUseId: block.toolUseId,
        index: next,
        isWhole: isWholeCall(block),
        unnamedText: block.inputText,
      })
    case 'assistant_text':
    case 'thinking': {
      const index = indexIn(id, messageId) ?? next
      return {
        id,
        contentType: contentType(block),
        index,
        isWhole: status !== 'pending',
        unnamedText: block.content,
      }
    }
    default:
      return undefined
  }
}

/** Whether the call's line has been read. Before that, its input streams. */
function isWholeCall({ inputText }: BlockOf<'tool_use'>): boolean {
  return inputText === undefined
}

function contentType(block: BlockOf<'assistant_text' | 'thinking'>): string {
  if (block.type === 'assistant_text') return 'text'
  return block.redacted === true ? 'redacted_thinking' : 'thinking'
}

function indexIn(blockId: string, messageId: string): number | undefined {
  const index = blockId.startsWith(`${messageId}:`) ? blockId.slice(messageId.length + 1) : ''
  return /^\d+$/.test(index) ? Number(index) : undefined
}

/** Returns the message that streams: a text of it is pending, or a call that is not whole. */
export function streamingMessage({ blocks }: ResumedThread): string | undefined {
  const block = blocks.findLast((each) => each.status === 'pending' && isStreamed(each))
  return block && messageIdOf(block)
}

function isStreamed(block: ConversationBlock): boolean {
  if (block.type === 'tool_use') return !isWholeCall(block)
  return block.type === 'assistant_text' || block.type === 'thinking'
}

/** Returns the message of the last block of a model if a part of the message is pending. */
export function unfinishedMessage(blocks: readonly ConversationBlock[]): string | undefined {
  const messageId = lastMessage(blocks)
  const isPending = blocks.some((block) => block.status === 'pending' && messageIdOf(block) === messageId)
  return isPending ? messageId : undefined
}

/** Returns the calls that wait for their result. The end of an input makes those of the last message final. */
export function unansweredCalls({
  id,
  blocks,
}: ResumedThread): readonly (readonly [string, PersistentMap<BlockOf<'tool_use'>>])[] {
  const answered = answeredCalls(blocks)
  const last = lastMessage(blocks)
  const calls = collect(blocks, (block) => {
    if (block.type !== 'tool_use' || answered.has(block.toolUseId) || !isWholeCall(block)) return []
    const isWaiting = block.status === 'pending' || (last !== undefined && block.messageId === last)
    return isWaiting ? [[block.toolUseId, block]] : []
  })
  return calls.isEmpty ? [] : [[id, calls]]
}

function lastMessage(blocks: readonly ConversationBlock[]): string | undefined {
  const last = blocks.findLast((block) => messageIdOf(block) !== undefined)
  return last && messageIdOf(last)
}
