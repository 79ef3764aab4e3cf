import { Immer, isDraft } from 'immer'

/** Applies a recipe to a copy. It freezes nothing: objects of the host stay as they are, and V8 copies frozen lists slowly. */
export const produce: Immer['produce'] = new Immer({ autoFreeze: false }).produce

/**
 * Returns a part of a draft that a recipe changes. Immer hands out an instance of a class as it is, so a recipe would change the
 * caller's own object: that throws a `TypeError`.
 */
export function requireDraft<Part extends object | null | undefined>(part: Part): Part {
  if (part && !isDraft(part)) throw new TypeError('pass plain objects, not instances of a class')
  return part
}

/** Returns the draft of an item that a recipe changes. Throws a `TypeError` like `requireDraft`, also if there is no item. */
export function draftAt<Item extends object>(items: readonly Item[], position: number): Item {
  const item = requireDraft(items[position])
  if (!item) throw new TypeError(`no item at ${position}`)
  return item
}
