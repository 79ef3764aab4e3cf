import { addToList } from '../../../../json/append.ts'
import type { MessageBlock } from '../../memory.ts'

type IsWanted = (block: MessageBlock) => boolean

/** Finds blocks of one message, in their order. */
export interface BlockSearch {
  /** Returns the block of a call. */
  call(toolUseId: string): MessageBlock | undefined
  /** Returns the first block with an index that passes the test. Only a broken input has several with one index. */
  atIndex(index: number, isWanted?: IsWanted): MessageBlock | undefined
  /** Returns the texts with that type of content that a line may complete, or repeat word for word. */
  repeatableTexts(contentType: unknown): Iterable<MessageBlock>
  /** Returns the number after the highest index. */
  nextIndex(): number
  readonly last: MessageBlock | undefined
}

function isRepeatableText({ toolUseId, isWhole, unnamedText }: MessageBlock): boolean {
  return toolUseId === undefined && (!isWhole || unnamedText !== undefined)
}

const isAny: IsWanted = () => true

/** Searches a list by visiting its blocks. */
export class BlockList implements BlockSearch {
  readonly #blocks: readonly MessageBlock[]

  constructor(blocks: readonly MessageBlock[]) {
    this.#blocks = blocks
  }

  call(toolUseId: string): MessageBlock | undefined {
    return this.#blocks.find((block) => block.toolUseId === toolUseId)
  }

  atIndex(index: number, isWanted: IsWanted = isAny): MessageBlock | undefined {
    return this.#blocks.find((block) => block.index === index && isWanted(block))
  }

  repeatableTexts(contentType: unknown): Iterable<MessageBlock> {
    return this.#blocks.filter((block) => block.contentType === contentType && isRepeatableText(block))
  }

  nextIndex(): number {
    let next = 0
    for (const { index } of this.#blocks) next = Math.max(next, index + 1)
    return next
  }

  get last(): MessageBlock | undefined {
    return this.#blocks.at(-1)
  }
}

/**
 * A copy of a long list, which a batch changes in place. The first search indexes its blocks: to visit them for each line of the message
 * would take quadratic time.
 */
export class IndexedBlockList implements BlockSearch {
  readonly #blocks: MessageBlock[]
  #indexed = 0
  #nextIndex = 0
  /** The places of the blocks, by their index and by the id of their call. */
  #places = new Map<unknown, number[]>()
  #repeatable = new Map<unknown, Set<number>>()

  constructor(blocks: readonly MessageBlock[]) {
    this.#blocks = [...blocks]
  }

  get blocks(): readonly MessageBlock[] {
    return this.#blocks
  }

  append(block: MessageBlock): void {
    this.#blocks.push(block)
  }

  replace(place: number, block: MessageBlock): void {
    const before = this.#blocks[place]
    this.#blocks[place] = block
    if (!before || place >= this.#indexed) return
    if (!hasSameKeys(before, block) || (isRepeatableText(block) && !isRepeatableText(before)))
      this.#forgetIndex()
    else if (!isRepeatableText(block)) this.#repeatable.get(block.contentType)?.delete(place)
  }

  call(toolUseId: string): MessageBlock | undefined {
    return this.#first(toolUseId, isAny)
  }

  atIndex(index: number, isWanted: IsWanted = isAny): MessageBlock | undefined {
    return this.#first(index, isWanted)
  }

  *repeatableTexts(contentType: unknown): Iterable<MessageBlock> {
    this.#indexBlocks()
    for (const place of this.#repeatable.get(contentType) ?? []) {
      const block = this.#blocks[place]
      if (block) yield block
    }
  }

  nextIndex(): number {
    this.#indexBlocks()
    return this.#nextIndex
  }

  get last(): MessageBlock | undefined {
    return this.#blocks.at(-1)
  }

  #first(key: number | string, isWanted: IsWanted): MessageBlock | undefined {
    this.#indexBlocks()
    for (const place of this.#places.get(key) ?? []) {
      const block = this.#blocks[place]
      if (block && isWanted(block)) return block
    }
    return undefined
  }

  #indexBlocks(): void {
    for (; this.#indexed < this.#blocks.length; this.#indexed += 1) {
      const block = this.#blocks[this.#indexed]
      if (block) this.#indexBlock(block, this.#indexed)
    }
  }

  #indexBlock(block: MessageBlock, place: number): void {
    const { toolUseId, contentType, index } = block
    for (const key of [toolUseId, index]) addToList(this.#places, key, place)
    if (isRepeatableText(block))
      this.#repeatable.set(contentType, (this.#repeatable.get(contentType) ?? new Set()).add(place))
    this.#nextIndex = Math.max(this.#nextIndex, index + 1)
  }

  #forgetIndex(): void {
    this.#indexed = 0
    this.#nextIndex = 0
    this.#places = new Map()
    this.#repeatable = new Map()
  }
}

function hasSameKeys(left: MessageBlock, right: MessageBlock): boolean {
  return (
    left.index === right.index && left.toolUseId === right.toolUseId && left.contentType === right.contentType
  )
}
