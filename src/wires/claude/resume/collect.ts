import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import type { ConversationThread } from '../../../state/session.ts'

/** A conversation of a state with its id. */
export interface ResumedThread extends ConversationThread {
  readonly id: string
}

/** Collects the entries that each item gives into one map. */
export function collect<Item, Value extends object | string>(
  items: readonly Item[],
  entriesOf: (item: Item) => readonly (readonly [string, Value])[],
): PersistentMap<Value> {
  return items
    .flatMap(entriesOf)
    .reduce((map, [key, value]) => map.with(key, value), new PersistentMap<Value>())
}
