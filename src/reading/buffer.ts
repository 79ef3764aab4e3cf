import { isObject } from '../core/json/values.ts'

/** A list of buffered items, linked from the last one to the first. Appending copies nothing. */
export interface Buffered<Item> {
  readonly item: Item
  readonly before: Buffered<Item> | undefined
}

/** Whether the value is a list of buffered items. */
export function isBuffered(value: unknown): value is Buffered<unknown> {
  return isObject(value) && 'item' in value
}

/** Returns the buffered items, the first one first. */
export function bufferedItems<Item>(last: Buffered<Item> | undefined): readonly Item[] {
  const items: Item[] = []
  for (let buffered = last; buffered; buffered = buffered.before) items.push(buffered.item)
  return items.reverse()
}
