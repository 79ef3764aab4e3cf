import { messageIdOf } from '../state/block.ts'
import type { Branch } from '../state/session.ts'
import type { OwnedList } from './owned-list.ts'

/** The ids of the blocks on branches, and of the messages of the model that they are parts of. */
interface AbandonedIds {
  readonly blocks: Set<string>
  readonly messages: Set<string | undefined>
}

/** The ids of the newest list of branches of each session, as the caches of lists. */
const known = new WeakMap<readonly Branch[], AbandonedIds>()

/** Returns the ids of the blocks on branches. The result belongs to the caller until a branch changes. */
export function abandonedIds(branches: readonly Branch[]): AbandonedIds {
  const ids = known.get(branches) ?? branches.reduce(withIds, { blocks: new Set(), messages: new Set() })
  known.set(branches, ids)
  return ids
}

function withIds(ids: AbandonedIds, { blocks }: Branch): AbandonedIds {
  for (const block of blocks) {
    ids.blocks.add(block.id)
    ids.messages.add(messageIdOf(block))
  }
  return ids
}

/** Adds blocks to a branch, or a new branch. */
export function addBranch(branches: OwnedList<Branch>, { id, blocks }: Branch): void {
  const ids = takeIds(branches)
  const found = branches.find(id)
  const added = new Set(blocks.map((block) => block.id))
  const before = found?.item.blocks.filter((block) => !added.has(block.id)) ?? []
  const branch = { id, blocks: [...before, ...blocks] }
  if (found) return branches.replace(found.index, branch)
  branches.append(branch)
  if (ids) known.set(branches.items, withIds(ids, branch))
}

export function removeBranch(branches: OwnedList<Branch>, id: string): void {
  const found = branches.find(id)
  if (!found) return
  takeIds(branches)
  branches.remove(found.index)
}

/** Takes the ids away from a list that changes. */
function takeIds({ items }: OwnedList<Branch>): AbandonedIds | undefined {
  const ids = known.get(items)
  known.delete(items)
  return ids
}
