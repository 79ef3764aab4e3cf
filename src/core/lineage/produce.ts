import { type Draft, Immer, isDraft, isDraftable } from 'immer'

/** Applies a recipe to a copy. It freezes nothing: objects of the host stay as they are, and V8 copies frozen lists slowly. */
export const produce: Immer['produce'] = new Immer({ autoFreeze: false }).produce

/** Returns the item after a recipe changed a copy of it. Throws a `TypeError` for an instance of a class. */
export function changed<Item extends object>(item: Item, recipe: (draft: Draft<Item>) => void): Item {
  if (!isDraftable(item)) throw new TypeError(INSTANCE)
  return produce(item, recipe)
}

const INSTANCE = 'pass plain objects, not instances of a class'

/**
 * Returns a part of a draft that a recipe changes. Immer hands out an instance of a class as it is, so a recipe would
 * change the caller's own object: that throws a `TypeError`.
 */
export function requireDraft<Part extends object | null | undefined>(part: Part): Part {
  if (part && !isDraft(part)) throw new TypeError(INSTANCE)
  return part
}

/** Returns the draft of an item that a recipe changes. Throws a `TypeError` like `requireDraft`, also if there is no item. */
export function draftAt<Item extends object>(items: readonly Item[], position: number): Item {
  const item = requireDraft(items[position])
  if (!item) throw new TypeError(`no item at ${position}`)
  return item
}
