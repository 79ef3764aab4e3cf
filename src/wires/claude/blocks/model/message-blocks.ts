import { asString, type JsonObject } from '../../../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  messageIdOf,
  subagentBlockId,
} from '../../../../core/state/block.ts'
import type { SessionLookups } from '../../../../reading/lookups.ts'
import { blockIdOf, hasOwnId } from '../../block-ids.ts'
import type { ClaudeContext, ClaudeMemory, StreamedBlock } from '../../notes.ts'
import { type MessageRef, storeStreamedBlocks, streamedBlocks } from './message-stream.ts'

type ModelText = BlockOf<'assistant_text' | 'thinking'>

/** Whether the state has a part of the message, from the history or from the stream. */
export function isKnownMessage({ conversationId, messageId }: MessageRef, memory: ClaudeMemory): boolean {
  if (memory.state.usageOf(conversationId, messageId)) return true
  if (memory.notes.values.streams.get(conversationId)?.messageId === messageId) return true
  return memory.state.hasBlocks(conversationId, messageId)
}

/** Returns the block of a call in the state: a tool's, or an agent's. */
export function blockOfCall(
  toolUseId: string,
  conversationId: string,
  memory: ClaudeMemory,
): BlockOf<'tool_use' | 'subagent'> | undefined {
  const block =
    memory.state.findCall(conversationId, toolUseId) ?? memory.state.findAgentBlock(conversationId, toolUseId)
  // A spawn, which other messages report too, names no message.
  return block?.type === 'tool_use' || (block?.type === 'subagent' && block.messageId !== undefined)
    ? block
    : undefined
}

/** Whether the source has read the whole call. Before that it has only the start and deltas. */
export function isWholeCall(toolUseId: string, conversationId: string, memory: ClaudeMemory): boolean {
  const block = blockOfCall(toolUseId, conversationId, memory)
  if (!block)
    return memory.state.isAbandoned(toolUseId) || memory.state.isAbandoned(subagentBlockId(toolUseId))
  return isWhole(block, conversationId, memory)
}

/** Whether the source has read the whole block, and not only its start and deltas. */
export function isWhole(block: ConversationBlock, conversationId: string, memory: ClaudeMemory): boolean {
  if (memory.notes.values.streams.get(conversationId)?.blocks.some(({ id }) => id === block.id)) return false
  if (block.type === 'tool_use') return block.inputText === undefined
  return block.type === 'subagent'
    ? !memory.state.isAnnounced(block.toolUseId)
    : !memory.state.isOpen(conversationId, block.id)
}

/** A block of a message, with the API's index. */
interface IndexedBlock {
  readonly block: ConversationBlock
  readonly index: number
}

/**
 * Returns the blocks of a message with their indexes. The id of a text states its index, and the stream that of a
 * call. Any other call counts the blocks before it.
 */
export function indexedBlocks(ref: MessageRef, memory: ClaudeMemory): readonly IndexedBlock[] {
  const { conversationId, messageId } = ref
  const streamed = streamedBlocks(ref, memory.notes.values)
  let next = 0
  return memory.state.blocksOfMessage(conversationId, messageId).map((block) => {
    const stated = streamed.find(({ id }) => id === block.id)?.index ?? indexIn(block.id, messageId)
    const index = stated ?? next
    next = Math.max(next, index + 1)
    return { block, index }
  })
}

function indexIn(blockId: string, messageId: string): number | undefined {
  const index = blockId.startsWith(`${messageId}:`) ? blockId.slice(messageId.length + 1) : ''
  return /^\d+$/.test(index) ? Number(index) : undefined
}

/** Returns the number after the highest index of a message. */
function nextIndex(ref: MessageRef, memory: ClaudeMemory): number {
  const { conversationId, messageId } = ref
  const stated = memory.notes.values.nextIndexes.get(memory.notes.keyOf(conversationId, messageId)) ?? 0
  let next = 0
  for (const { id } of memory.state.messageFromEnd(conversationId, messageId)) {
    const index = indexIn(id, messageId)
    next += 1
    if (index === undefined) continue
    next += index
    break
  }
  return streamedBlocks(ref, memory.notes.values).reduce(
    (end, { index }) => Math.max(end, index + 1),
    Math.max(next, stated),
  )
}

/** Remembers the index of a block that the state does not have. */
export function rememberIndex(blockId: string, ref: MessageRef, memory: ClaudeMemory): void {
  const index = indexIn(blockId, ref.messageId)
  const key = memory.notes.keyOf(ref.conversationId, ref.messageId)
  if (index === undefined) return
  if (memory.state.findBlock(ref.conversationId, blockId)) memory.notes.removeEntry('nextIndexes', key)
  else memory.notes.setEntry('nextIndexes', key, index + 1)
}

/** The place of a line's whole blocks in their message. */
interface WholeBlocksPlace extends MessageRef {
  /** The stated index. Only files of 2.1.330 state it. */
  readonly index: number | undefined
  readonly isUnnamed: boolean
}

/** A whole block of a line, with its id in the state. */
export interface WholeBlock {
  readonly part: JsonObject
  readonly blockId: string
  /** The state has the whole block already. */
  readonly isRepeated: boolean
}

/**
 * Returns the whole blocks of a line with their ids. Each may repeat or complete a block of an earlier line, or
 * repeat a call of the line. The index of a new one is the stated one, or else the next free one.
 */
export function identifyBlocks(
  parts: readonly JsonObject[],
  place: WholeBlocksPlace,
  context: ClaudeContext,
): readonly WholeBlock[] {
  const identifier = new BlockIdentifier(place, context)
  const blocks = parts.map((part) => identifier.identify(part))
  storeStreamedBlocks(place, identifier.streamed, context.notes)
  return blocks
}

class BlockIdentifier {
  readonly #context: ClaudeContext
  readonly #place: WholeBlocksPlace
  readonly #isOfUnnamedMessage: boolean
  /** The known blocks that this line holds, by id. */
  readonly #used = new Set<string>()
  #nextIndex: number | undefined
  #newCount = 0
  /** The blocks of the message that have begun, and are not whole yet. */
  streamed: readonly StreamedBlock[]

  constructor(place: WholeBlocksPlace, context: ClaudeContext) {
    this.#place = place
    this.#context = context
    this.#isOfUnnamedMessage =
      context.notes.values.unnamedMessages.get(context.notes.keyOf(place.conversationId, place.messageId)) !==
      undefined
    this.streamed = streamedBlocks(place, context.notes.values)
  }

  identify(part: JsonObject): WholeBlock {
    const toolUseId = asString(part.id)
    const known = toolUseId === undefined ? this.#knownText(part) : this.#knownCall(toolUseId)
    const blockId = known?.id ?? this.#newId(part)
    const isUsed = this.#used.has(blockId)
    this.#used.add(blockId)
    if (!known) return { part, blockId, isRepeated: isUsed }
    const isRepeated = isWhole(known, this.#place.conversationId, this.#context)
    this.streamed = this.streamed.filter(({ id }) => id !== blockId)
    return { part, blockId, isRepeated: isUsed || (isRepeated && !this.#isCutText(known, part)) }
  }

  #knownCall(toolUseId: string): ConversationBlock | undefined {
    const { conversationId, messageId } = this.#place
    if (toolUseId !== '') return blockOfCall(toolUseId, conversationId, this.#context)
    const blocks = this.#context.state.blocksOfMessage(conversationId, messageId)
    return blocks.find((block) => block.type === 'tool_use' && block.toolUseId === '')
  }

  /**
   * Returns the known text that a whole one repeats or completes. It has the stated index, or it is the first of its
   * kind that is not whole. If the line of the known text has no known uuid, the words count.
   */
  #knownText(part: JsonObject): ModelText | undefined {
    const { index, messageId } = this.#place
    const isWanted = (block: ConversationBlock | undefined) => this.#isWanted(block, part)
    const atIndex = index === undefined ? undefined : this.#find(`${messageId}:${index}`)
    if (isWanted(atIndex)) return atIndex
    const begun = this.streamed
      .filter(({ knownLength }) => knownLength === undefined)
      .map(({ id }) => this.#find(id))
      .filter(isWanted)
    // The whole text of an earlier one may be in a broken line.
    return begun.find(({ content }) => content === textOf(part)) ?? begun[0] ?? this.#textWithWords(part)
  }

  #textWithWords(part: JsonObject): ModelText | undefined {
    const { conversationId, messageId, isUnnamed } = this.#place
    if (!this.#isOfUnnamedMessage)
      return openBlocksOf(this.#place, this.#context.state).find((block) => this.#isWanted(block, part))
    const texts = this.#context.state
      .blocksOfMessage(conversationId, messageId)
      .filter((block) => this.#isWanted(block, part))
    const text = textOf(part)
    const same = texts.find((block) => block.content === text && this.#knownPart(block) === undefined)
    if (same && !isUnnamed) return same
    const last = texts.at(-1)
    return (
      texts.find((block) => {
        const known = this.#knownPart(block)
        return known !== undefined && text.startsWith(known)
      }) ?? (last && !isUnnamed && this.#isCutText(last, part) ? last : undefined)
    )
  }

  /** Returns the known beginning of a text that is not whole. */
  #knownPart({ id, content }: ModelText): string | undefined {
    const streamed = this.streamed.find((block) => block.id === id)
    if (streamed) return content.slice(0, streamed.knownLength)
    return this.#context.state.isOpen(this.#place.conversationId, id) ? content : undefined
  }

  #find(blockId: string): ConversationBlock | undefined {
    return this.#context.state.findBlock(this.#place.conversationId, blockId)
  }

  #isWanted(block: ConversationBlock | undefined, part: JsonObject): block is ModelText {
    return block !== undefined && !this.#used.has(block.id) && isTextOf(part, block)
  }

  /** Whether the end of an input has made the beginning of the text final, so that the state does not show that it is no whole text. */
  #isCutText(known: ConversationBlock, part: JsonObject): boolean {
    if (!this.#isOfUnnamedMessage || !isTextOf(part, known) || known.content === '') return false
    return known.content !== textOf(part) && textOf(part).startsWith(known.content)
  }

  #newId(part: JsonObject): string {
    const { index, messageId } = this.#place
    this.#newCount += 1
    if (index !== undefined) return blockIdOf(part, { messageId, index })
    if (hasOwnId(part)) return blockIdOf(part, { messageId, index: 0 })
    const unknown = this.streamed.find(({ id }) => !this.#find(id))
    if (unknown) {
      this.streamed = this.streamed.filter((block) => block !== unknown)
      return unknown.id
    }
    this.#nextIndex ??= nextIndex(this.#place, this.#context)
    return blockIdOf(part, { messageId, index: this.#nextIndex + this.#newCount - 1 })
  }
}

/** Returns the blocks of a message that have begun, and that no line and no end of a turn has completed. */
export function openBlocksOf(
  { conversationId, messageId }: MessageRef,
  state: SessionLookups,
): readonly ConversationBlock[] {
  const cut = state.cutBlocks(conversationId).filter((block) => messageIdOf(block) === messageId)
  const own = state.blocksOfMessage(conversationId, messageId)
  return [...cut, ...own.filter(({ status }) => status === 'pending')]
}

/** Whether the part is a text of the same kind as the block. */
function isTextOf({ type }: JsonObject, block: ConversationBlock): block is ModelText {
  if (block.type === 'assistant_text') return type === 'text'
  return block.type === 'thinking' && type === (block.redacted ? 'redacted_thinking' : 'thinking')
}

function textOf({ text, thinking }: JsonObject): string {
  return asString(text) ?? asString(thinking) ?? ''
}
