import type { NotesDraft } from './notes-draft.ts'
import { type MapValue, PersistentMap } from './persistent-map.ts'

/** An entry of a map of maps: the key of its map, and its own key there. */
interface InnerPlace {
  readonly map: string
  readonly key: string
}

type Batch = Pick<NotesDraft<never>, 'open'>

/**
 * Returns a version of the maps with the entry, or the same one if the inner map has changed in place. The batch then
 * owns the inner map.
 */
export function withInner<Value extends MapValue>(
  maps: PersistentMap<PersistentMap<Value>>,
  { map, key }: InnerPlace,
  value: Value,
  batch: Batch,
): PersistentMap<PersistentMap<Value>> {
  const known = maps.get(map)
  const changed = known ? known.with(key, value) : new PersistentMap(new Map([[key, value]]))
  return changed === known ? maps : maps.with(map, batch.open(changed))
}

/** Returns a version of the maps without the entry, and without its map if that becomes empty. */
export function withoutInner<Value extends MapValue>(
  maps: PersistentMap<PersistentMap<Value>>,
  { map, key }: InnerPlace,
  batch: Batch,
): PersistentMap<PersistentMap<Value>> {
  const known = maps.get(map)
  const changed = known?.without(key)
  if (changed === undefined || (changed === known && !changed.isEmpty)) return maps
  return changed.isEmpty ? maps.without(map) : maps.with(map, batch.open(changed))
}
