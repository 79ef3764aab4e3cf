import type { IncomingBlock } from '../../events/event.ts'
import { appendTo } from '../../json/append.ts'
import type { Mutable } from '../../json/mutable.ts'
import { TranslationContext } from '../../session/context.ts'
import { withInner } from '../../session/notes/inner-map.ts'
import { MAIN } from '../../state/session.ts'
import { BlockList, type BlockSearch, IndexedBlockList } from './blocks/model/block-search.ts'
import type { LineBlocks } from './lines/line-place.ts'
import {
  type ClaudeMemory,
  copyMessage,
  type MessageBlock,
  type MessageRef,
  type ModelMessage,
} from './memory.ts'

const NO_BLOCKS: readonly string[] = []
const NO_CONVERSATIONS: ReadonlySet<string> = /* @__PURE__ */ new Set<string>()

/** A message with more blocks than that has an `IndexedBlockList`. A list that grows reserves room, so short ones are copied. */
const MANY_BLOCKS = 64

/** One message of Claude Code while the source turns it into events. */
export class ClaudeContext extends TranslationContext<ClaudeMemory> {
  #modelBlockIds: readonly string[] | undefined
  #addedBlockIds: string[] | undefined
  #lineWithoutBlocks: LineBlocks | undefined
  /** The message that this batch has copied last. */
  #ownMessage: Mutable<ModelMessage> | undefined
  /** The long lists of messages' blocks that this batch has made, by their blocks. */
  #longLists: WeakMap<readonly MessageBlock[], IndexedBlockList> | undefined
  /** By tool use: the conversations that have or had a pending call with the id in this batch. */
  #conversationsByCall: Map<string, Set<string>> | undefined

  /** Returns the message as the source remembers it. A later line of the batch may change it. */
  message({ conversationId, messageId }: MessageRef): ModelMessage | undefined {
    return this.memory.messages.get(conversationId)?.get(messageId)
  }

  /** Returns the message, so that the caller can change it. A batch copies it once for lines that follow each other. */
  editMessage(ref: MessageRef): Mutable<ModelMessage> {
    const known = this.message(ref)
    if (this.#ownMessage && known === this.#ownMessage) return this.#ownMessage
    const own = copyMessage(known)
    const place = { map: ref.conversationId, key: ref.messageId }
    const messages = withInner(this.memory.messages, place, own, this)
    if (messages !== this.memory.messages) this.remember({ messages })
    this.#ownMessage = own
    return own
  }

  /** Returns a search in a message's blocks. */
  searchIn(blocks: readonly MessageBlock[]): BlockSearch {
    return this.#longLists?.get(blocks) ?? new BlockList(blocks)
  }

  /** Returns a message's blocks with another one at that place. */
  replaceBlock(blocks: readonly MessageBlock[], place: number, block: MessageBlock): readonly MessageBlock[] {
    if (blocks.length <= MANY_BLOCKS) return blocks.with(place, block)
    const list = this.#longListOf(blocks)
    list.replace(place, block)
    return list.blocks
  }

  /** Returns a message's blocks with more of them. */
  appendBlocks(blocks: readonly MessageBlock[], added: readonly MessageBlock[]): readonly MessageBlock[] {
    // A spread of two lists reserves room for more. `concat` does not.
    if (blocks.length <= MANY_BLOCKS) return blocks.concat(added)
    const list = this.#longListOf(blocks)
    for (const block of added) list.append(block)
    return list.blocks
  }

  #longListOf(blocks: readonly MessageBlock[]): IndexedBlockList {
    this.#longLists ??= new WeakMap()
    const known = this.#longLists.get(blocks)
    if (known) return known
    const list = new IndexedBlockList(blocks)
    this.#longLists.set(list.blocks, list)
    return list
  }

  /** Returns the memory of a line without blocks. The lines in a row of one conversation share it. */
  lineWithoutBlocks(conversationId: string): LineBlocks {
    if (this.#lineWithoutBlocks?.conversationId !== conversationId)
      this.#lineWithoutBlocks = { conversationId }
    return this.#lineWithoutBlocks
  }

  override upsert(conversationId: string, block: IncomingBlock): void {
    // A call belongs to the line of the model, and its result only changes it.
    if (conversationId === MAIN && block.type !== 'tool_use') {
      this.#addedBlockIds = appendTo(this.#addedBlockIds, block.id)
    }
    super.upsert(conversationId, block)
  }

  /** Sets the blocks of a model's line. The state may have had them before. */
  setModelBlocks(blockIds: readonly string[]): void {
    this.#modelBlockIds = blockIds
  }

  /** Returns the ids of the line's blocks: those of a model's line, or those that another line has added to main. */
  takeBlockIds(): { readonly ofModel?: readonly string[] | undefined; readonly added: readonly string[] } {
    const blocks = { ofModel: this.#modelBlockIds, added: this.#addedBlockIds ?? NO_BLOCKS }
    this.#modelBlockIds = undefined
    this.#addedBlockIds = undefined
    return blocks
  }

  /** Returns the conversations in which a call with the id may wait. The first question of a batch indexes all pending calls. */
  conversationsOfCall(toolUseId: string): ReadonlySet<string> {
    if (!this.#conversationsByCall) {
      this.#conversationsByCall = new Map()
      for (const [conversationId, calls] of this.memory.pendingCalls.entries())
        for (const [id] of calls.entries()) this.addCall(id, conversationId)
    }
    return this.#conversationsByCall.get(toolUseId) ?? NO_CONVERSATIONS
  }

  /** Adds a pending call to the index, if the batch has one. */
  addCall(toolUseId: string, conversationId: string): void {
    const index = this.#conversationsByCall
    const known = index?.get(toolUseId)
    if (known) known.add(conversationId)
    else index?.set(toolUseId, new Set([conversationId]))
  }
}
