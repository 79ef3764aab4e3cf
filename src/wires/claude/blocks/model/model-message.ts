import { appendTo } from '../../../../json/append.ts'
import { asString, type JsonObject } from '../../../../json/values.ts'
import type { ClaudeContext } from '../../context.ts'
import { copyMessage, type MessageBlock, type MessageRef, type ModelMessage } from '../../memory.ts'
import { isCutText, knownBlock, type LineOfBlock, textOf } from './known-block.ts'
import { blockIdOf } from './model-block.ts'

const NEW_MESSAGE: ModelMessage = /* @__PURE__ */ copyMessage()

/** Returns the message as the source remembers it. A later line of the batch may change it. */
export function messageOf(ref: MessageRef, context: ClaudeContext): ModelMessage {
  return context.message(ref) ?? NEW_MESSAGE
}

/** Whether the source has read a part of the message, in the history or in the stream. */
export function isKnownMessage(ref: MessageRef, context: ClaudeContext): boolean {
  return context.message(ref) !== undefined
}

/** Remembers a known block of a message. */
export function storeBlock(block: MessageBlock, ref: MessageRef, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  const at = message.blocks.findIndex(({ id }) => id === block.id)
  if (at < 0) return
  context.editMessage(ref).blocks = context.replaceBlock(message.blocks, at, block)
}

/** The place of a line's whole blocks in their message. */
interface WholeBlocksPlace extends MessageRef, LineOfBlock {}

/** A whole block as the source has recorded it. */
export interface RecordedBlock {
  readonly part: JsonObject
  readonly blockId: string
  /** The state has the whole block already. */
  readonly isRepeated: boolean
}

/**
 * Records the whole blocks of a line. Each may repeat or complete a known block. The index of a new one is the stated one, or else the next
 * free one.
 */
export function recordWholeBlocks(
  parts: readonly JsonObject[],
  ref: WholeBlocksPlace,
  context: ClaudeContext,
): readonly RecordedBlock[] {
  const message = messageOf(ref, context)
  const recorder = new BlockRecorder(message.blocks, ref, parts.length === 1, context)
  const recorded = parts.map((part) => recorder.record(part))
  context.editMessage(ref).blocks = recorder.blocks()
  return recorded
}

/** Records the blocks of one line. A line repeats only blocks of earlier lines, and calls. So the search does not visit the line's own blocks. */
class BlockRecorder {
  readonly #context: ClaudeContext
  readonly #place: WholeBlocksPlace
  #earlier: readonly MessageBlock[]
  #added: MessageBlock[] = []
  readonly #addedCalls: Map<string, MessageBlock> | undefined
  #nextIndex: number

  constructor(
    earlier: readonly MessageBlock[],
    place: WholeBlocksPlace,
    isOnlyBlock: boolean,
    context: ClaudeContext,
  ) {
    this.#context = context
    this.#addedCalls = isOnlyBlock ? undefined : new Map()
    this.#place = place
    this.#earlier = earlier
    this.#nextIndex = earlier.length === 0 ? 0 : context.searchIn(earlier).nextIndex()
  }

  record(part: JsonObject): RecordedBlock {
    const toolUseId = asString(part.id)
    const ofLine = toolUseId === undefined ? undefined : this.#addedCalls?.get(toolUseId)
    const known = ofLine ?? this.#earlierBlock(part)
    if (!known) return { part, blockId: this.#add(part).id, isRepeated: false }
    if (!known.isWhole || known.unnamedText !== undefined) this.#complete(known)
    return { part, blockId: known.id, isRepeated: known.isWhole && !isCutText(known, part) }
  }

  /** Returns the blocks of the message with those of the line. */
  blocks(): readonly MessageBlock[] {
    if (this.#added.length === 0) return this.#earlier
    return this.#earlier.length === 0 ? this.#added : this.#context.appendBlocks(this.#earlier, this.#added)
  }

  #earlierBlock(part: JsonObject): MessageBlock | undefined {
    if (this.#earlier.length === 0) return undefined
    return knownBlock(part, this.#place, this.#context.searchIn(this.#earlier))
  }

  #complete(known: MessageBlock): void {
    const at = this.#earlier.indexOf(known)
    this.#earlier = this.#context.replaceBlock(this.#earlier, at, wholeBlock(known))
  }

  #add(part: JsonObject): MessageBlock {
    const { messageId, index = this.#nextIndex, isUnnamed } = this.#place
    const unnamedText = isUnnamed ? textOf(part) : undefined
    const block = newBlock(part, { messageId, index }, { isWhole: true, unnamedText })
    this.#nextIndex = Math.max(this.#nextIndex, index + 1)
    this.#added = appendTo(this.#added, block)
    if (block.toolUseId !== undefined) this.#addedCalls?.set(block.toolUseId, block)
    return block
  }
}

/** V8 gives each copy with a further field a hidden class of its own, which takes more room than the block. So these are literals. */
function wholeBlock({ id, contentType, toolUseId, index }: MessageBlock): MessageBlock {
  if (toolUseId !== undefined) return { id, contentType, toolUseId, index, isWhole: true }
  return { id, contentType, index, isWhole: true }
}

/** Records a block that begins to stream, and returns its id. */
export function recordStartedBlock(
  part: JsonObject,
  index: number,
  ref: MessageRef,
  context: ClaudeContext,
): string {
  const message = context.editMessage(ref)
  const block = newBlock(part, { messageId: ref.messageId, index }, { isWhole: false })
  message.blocks = context.appendBlocks(message.blocks, [block])
  return block.id
}

function newBlock(
  part: JsonObject,
  place: { readonly messageId: string; readonly index: number },
  { isWhole, unnamedText }: { readonly isWhole: boolean; readonly unnamedText?: string | undefined },
): MessageBlock {
  const { index } = place
  const toolUseId = asString(part.id)
  const id = blockIdOf(part, place)
  const contentType = asString(part.type) ?? ''
  if (toolUseId !== undefined) return { id, contentType, toolUseId, index, isWhole }
  if (unnamedText === undefined) return { id, contentType, index, isWhole }
  return { id, contentType, index, isWhole, unnamedText }
}
