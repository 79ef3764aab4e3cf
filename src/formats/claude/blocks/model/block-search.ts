import { appendTo } from '../../../../json/append.ts'
import type { MessageBlock } from '../../memory.ts'

/** Finds blocks of one message, in their order. */
export interface BlockSearch {
  /** Returns the block of a call. */
  call(toolUseId: string): MessageBlock | undefined
  /** Returns the first block with an index that passes the test. Only a broken input has several with one index. */
  atIndex(index: unknown, isWanted?: (block: MessageBlock) => boolean): MessageBlock | undefined
  /** Returns the blocks with that type of content that a line may complete, or repeat with the same text. */
  unsettled(contentType: unknown): Iterable<MessageBlock>
  /** Returns the first index behind all blocks. */
  nextIndex(): number
  readonly last: MessageBlock | undefined
}

function isUnsettled({ isWhole, unnamedText }: MessageBlock): boolean {
  return !isWhole || unnamedText !== undefined
}

const isAny = () => true

/** Searches a list by visiting its blocks. */
export class ListSearch implements BlockSearch {
  readonly #blocks: readonly MessageBlock[]

  constructor(blocks: readonly MessageBlock[]) {
    this.#blocks = blocks
  }

  call(toolUseId: string): MessageBlock | undefined {
    return this.#blocks.find((block) => block.toolUseId === toolUseId)
  }

  atIndex(index: unknown, isWanted: (block: MessageBlock) => boolean = isAny): MessageBlock | undefined {
    return this.#blocks.find((block) => block.index === index && isWanted(block))
  }

  unsettled(contentType: unknown): Iterable<MessageBlock> {
    return this.#blocks.filter((block) => block.contentType === contentType && isUnsettled(block))
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
export class LongList implements BlockSearch {
  readonly #blocks: MessageBlock[]
  #indexed = 0
  #nextIndex = 0
  readonly #calls = new Map<string, number>()
  readonly #places = new Map<unknown, number[]>()
  readonly #unsettled = new Map<unknown, Set<number>>()

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
    if (place >= this.#indexed) return
    if (!before || !hasSameKeys(before, block) || (isUnsettled(block) && !isUnsettled(before)))
      this.#forgetIndex()
    else if (!isUnsettled(block)) this.#unsettled.get(block.contentType)?.delete(place)
  }

  call(toolUseId: string): MessageBlock | undefined {
    this.#indexBlocks()
    const place = this.#calls.get(toolUseId)
    return place === undefined ? undefined : this.#blocks[place]
  }

  atIndex(index: unknown, isWanted: (block: MessageBlock) => boolean = isAny): MessageBlock | undefined {
    this.#indexBlocks()
    for (const place of this.#places.get(index) ?? []) {
      const block = this.#blocks[place]
      if (block && isWanted(block)) return block
    }
    return undefined
  }

  *unsettled(contentType: unknown): Iterable<MessageBlock> {
    this.#indexBlocks()
    for (const place of this.#unsettled.get(contentType) ?? []) {
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

  #indexBlocks(): void {
    for (; this.#indexed < this.#blocks.length; this.#indexed += 1) {
      const block = this.#blocks[this.#indexed]
      if (block) this.#indexBlock(block, this.#indexed)
    }
  }

  #indexBlock(block: MessageBlock, place: number): void {
    const { toolUseId, index } = block
    if (toolUseId !== undefined && !this.#calls.has(toolUseId)) this.#calls.set(toolUseId, place)
    this.#places.set(index, appendTo(this.#places.get(index), place))
    if (isUnsettled(block)) this.#addUnsettled(block.contentType, place)
    this.#nextIndex = Math.max(this.#nextIndex, index + 1)
  }

  #addUnsettled(contentType: string, place: number): void {
    const known = this.#unsettled.get(contentType)
    if (known) known.add(place)
    else this.#unsettled.set(contentType, new Set([place]))
  }

  #forgetIndex(): void {
    this.#indexed = 0
    this.#nextIndex = 0
    this.#calls.clear()
    this.#places.clear()
    this.#unsettled.clear()
  }
}

function hasSameKeys(left: MessageBlock, right: MessageBlock): boolean {
  return (
    left.index === right.index && left.toolUseId === right.toolUseId && left.contentType === right.contentType
  )
}
