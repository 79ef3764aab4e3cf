import { isObject } from '../../core/json/values.ts'

/** A value of a map. Undefined stands for no entry. */
export type MapValue = object | string | number | boolean

/** The value of an entry of a map. */
export type ItemOf<Map> = Map extends PersistentMap<infer Value> ? Value : never

/** A changed entry, with its value before the change. */
interface Change<Value> {
  readonly key: string
  readonly before: Value | undefined
  /** The place of a removed entry. An older version has it there again. */
  readonly place: number | undefined
}

/** Numbers that increase from entry to entry. */
type Places = Map<string, number>

let lastPlace = 0

/** The changes that lead from a version to the next one. */
interface Undo<Value extends MapValue> {
  readonly changes: readonly Change<Value>[]
  readonly newer: PersistentMap<Value>
}

/** The owner of versions: a batch. Its versions change in place while it is open. */
export interface MapOwner {
  isOpen: boolean
}

/**
 * An immutable map with cheap updates (after Baker, "Shallow binding makes functional arrays fast", 1991). The newest
 * version owns a real map. An older version knows how it differs from the next one. An older version that is read
 * again gets its own copy, so two branches of one version do not slow each other down.
 *
 * A batch opens the versions that it makes. An open version changes in place, because nobody else has it.
 */
export class PersistentMap<Value extends MapValue> {
  #map: Map<string, Value> | undefined
  /** Of the entries of the map, since one was removed that an older version may have. */
  #places: Places | undefined
  #undo: Undo<Value> | undefined
  #owner: MapOwner | undefined
  /** The changes since the version before, while somebody may still read that one. */
  #changes: Change<Value>[] | undefined

  /** The version owns the map. */
  constructor(map: Map<string, Value> = new Map()) {
    this.#map = map
  }

  get(key: string): Value | undefined {
    return (this.#map ?? this.#ownMap()).get(key)
  }

  get size(): number {
    return this.#ownMap().size
  }

  get isEmpty(): boolean {
    return !this.size
  }

  /** Returns a new list, which the caller may sort. */
  values(): Value[] {
    return [...this.#ownMap().values()]
  }

  /** Returns a new list of the keys with their values. */
  entries(): (readonly [key: string, value: Value])[] {
    return [...this.#ownMap()]
  }

  /** Returns a version with the entry, or this one if it has the entry already. */
  with(key: string, value: Value): PersistentMap<Value> {
    return this.#withChange(key, value)
  }

  /** Returns a version without the entry, or this one if it has no such entry. */
  without(key: string): PersistentMap<Value> {
    return this.#withChange(key)
  }

  /**
   * Gives the version to an owner: while that is open, later changes change the version in place. Call it for a
   * version that nobody else has. Returns whether the version keeps changes. Then its batch must call `dropChanges`
   * at the end.
   */
  open(owner: MapOwner): boolean {
    const isNewOwner = this.#owner !== owner
    this.#owner = owner
    return isNewOwner && this.#changes !== undefined
  }

  /** Frees the changes that an older version needed while this one was open. */
  dropChanges(): void {
    this.#changes = undefined
  }

  #withChange(key: string, value?: Value): PersistentMap<Value> {
    const map = this.#ownMap()
    if (this.#owner?.isOpen && !this.#changes) {
      // Nobody can read an earlier version, so the entry's earlier value does not matter.
      this.#set(key, value)
      return this
    }
    const before = map.get(key)
    if (before === value) return this
    const change = { key, before, place: value === undefined ? this.#placeOf(key) : undefined }
    const newer = this.#owner?.isOpen ? this : this.#handOver(map, change)
    if (newer === this) this.#changes?.push(change)
    newer.#set(key, value)
    return newer
  }

  #set(key: string, value: Value | undefined): void {
    const map = this.#ownMap()
    if (value === undefined) this.#places?.delete(key)
    else if (!map.has(key)) this.#places?.set(key, ++lastPlace)
    setOrDelete(map, key, value)
  }

  /** The places are numbered when the first entry is removed. */
  #placeOf(key: string): number | undefined {
    this.#places ??= new Map([...this.#ownMap().keys()].map((each) => [each, ++lastPlace]))
    return this.#places.get(key)
  }

  /** Returns a new version that owns the map. An empty map stays, because all sessions start from the same empty one. */
  #handOver(map: Map<string, Value>, change: Change<Value>): PersistentMap<Value> {
    if (map.size === 0) return new PersistentMap<Value>()
    const newer = new PersistentMap(map)
    newer.#places = this.#places
    // A list that begins empty reserves room for many changes, and most versions have one.
    const changes = [change]
    newer.#changes = changes
    this.#map = this.#places = undefined
    this.#undo = { changes, newer }
    return newer
  }

  #ownMap(): Map<string, Value> {
    this.#map ??= this.#copyFromNewer()
    return this.#map
  }

  /** Copies the map of the next version that has one, and undoes the changes in between. */
  #copyFromNewer(): Map<string, Value> {
    const undos: Undo<Value>[] = []
    let version: PersistentMap<Value> = this
    while (!version.#map && version.#undo) {
      undos.push(version.#undo)
      version = version.#undo.newer
    }
    const map = new Map(version.#map)
    const places = version.#places && new Map(version.#places)
    for (const { changes } of undos.reverse())
      for (const { key, before, place } of changes.toReversed()) {
        setOrDelete(map, key, before)
        if (place) places?.set(key, place)
      }
    this.#undo = undefined
    this.#places = places
    if (!places) return map
    return new Map([...map].sort(([one], [other]) => Number(places.get(one)) - Number(places.get(other))))
  }
}

function setOrDelete<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

/** An entry of a map of maps: the key of its map, and its own key there. */
interface InnerPlace {
  readonly map: string
  readonly key: string
}

interface Batch {
  open<Map extends Pick<PersistentMap<string>, 'open' | 'dropChanges'>>(map: Map): Map
}

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
