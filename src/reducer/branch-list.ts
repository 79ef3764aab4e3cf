import { messageIdOf } from '../state/block.ts'
import type { Branch } from '../state/session.ts'
import { OwnedList } from './owned-list.ts'

/** The blocks on branches: how many have an id, and how many are of a message of the model. */
interface BranchIndex {
  readonly blocks: Map<string, number>
  readonly messages: Map<string, number>
}

/** The abandoned branches of main, which a batch changes. */
export class BranchList {
  readonly #base: readonly Branch[] | undefined
  readonly #list: OwnedList<Branch>
  #index: BranchIndex | undefined

  constructor(base: readonly Branch[] | undefined) {
    this.#base = base
    this.#list = new OwnedList(base ?? NONE, idOf)
  }

  get items(): readonly Branch[] {
    return this.#list.items
  }

  /** Whether a branch has the block. */
  hasBlock(id: string): boolean {
    return this.items.length > 0 && this.#ownIndex(this.items).blocks.has(id)
  }

  /** Whether a branch has the block, or a block of the message. */
  has(id: string): boolean {
    return this.items.length > 0 && isIn(this.#ownIndex(this.items), id)
  }

  /** Adds blocks to a branch, or a new branch. */
  add({ id, blocks }: Branch): void {
    const known = this.#list.find(id)
    const ids = new Set(blocks.map((block) => block.id))
    const before = known?.item.blocks.filter((block) => !ids.has(block.id)) ?? []
    const branch = { id, blocks: [...before, ...blocks] }
    if (known) this.#count(known.item, -1)
    this.#count(branch, 1)
    if (known) this.#list.replace(known.index, branch)
    else this.#list.append(branch)
  }

  remove(id: string): void {
    const known = this.#list.find(id)
    if (!known) return
    this.#count(known.item, -1)
    this.#list.remove(known.index)
  }

  /** Returns the list for the state: the base itself if nothing has changed. */
  finish(): readonly Branch[] | undefined {
    const list = this.#list.finish()
    if (this.#index) indexes.set(list, this.#index)
    if (list === this.#base || list.length > 0) return list
    return undefined
  }

  #count(branch: Branch, by: number): void {
    this.#index ??= this.#base && takeIndex(this.#base)
    if (this.#index) count(this.#index, branch, by)
  }

  #ownIndex(branches: readonly Branch[]): BranchIndex {
    this.#index ??= (this.#base && takeIndex(this.#base)) ?? indexOf(branches)
    return this.#index
  }
}

const NONE: readonly never[] = []
const idOf = ({ id }: Branch): string => id

/** The index of the newest list of branches of each session, as the caches of lists. */
const indexes = new WeakMap<readonly Branch[], BranchIndex>()

/** Whether one of the branches has the block, or a block of the message. */
export function isOnBranch(branches: readonly Branch[], id: string): boolean {
  const index = indexes.get(branches) ?? indexOf(branches)
  indexes.set(branches, index)
  return isIn(index, id)
}

function isIn({ blocks, messages }: BranchIndex, id: string): boolean {
  return blocks.has(id) || messages.has(id)
}

/** Takes the index away from a list, because the batch changes it. */
function takeIndex(branches: readonly Branch[]): BranchIndex | undefined {
  const index = indexes.get(branches)
  if (index) indexes.delete(branches)
  return index
}

function indexOf(branches: readonly Branch[]): BranchIndex {
  const index: BranchIndex = { blocks: new Map(), messages: new Map() }
  for (const branch of branches) count(index, branch, 1)
  return index
}

function count({ blocks, messages }: BranchIndex, branch: Branch, by: number): void {
  for (const block of branch.blocks) {
    add(blocks, block.id, by)
    const messageId = messageIdOf(block)
    if (messageId !== undefined) add(messages, messageId, by)
  }
}

function add(counts: Map<string, number>, id: string, by: number): void {
  const left = (counts.get(id) ?? 0) + by
  if (left > 0) counts.set(id, left)
  else counts.delete(id)
}
