import type { Mutable } from '../../core/json/fields.ts'
import { appendTo, compositeKey } from '../../core/json/lists.ts'
import {
  type Buffered,
  bufferedItems,
  type ItemOf,
  isBuffered,
  type MapOwner,
  type MapValue,
  PersistentMap,
} from './persistent-map.ts'

/** The names of the maps and sets among the notes. */
type MapName<Values> = {
  [Name in keyof Values]: Values[Name] extends PersistentMap<infer _Value> ? Name : never
}[keyof Values]

/** The names of the buffers among the notes. */
type BufferName<Values> = {
  [Name in keyof Values]: Values[Name] extends PersistentMap<Buffered<infer _Item>> ? Name : never
}[keyof Values]

type ItemIn<Map> = Map extends PersistentMap<Buffered<infer Item>> ? Item : never

type OpenMap = Pick<PersistentMap<string>, 'open' | 'dropChanges'>

/** The notes of a batch of messages. The batch copies the notes at the first change, and then changes its copy. */
export class NotesDraft<Values extends object> {
  readonly #base: Values
  #own: Mutable<Values> | undefined
  readonly #owner: MapOwner = { isOpen: true }
  /** The versions that keep their changes for an older one. The list has no other versions, so V8 can free one that left the notes. */
  #mapsWithChanges: OpenMap[] | undefined
  #keyFirst: string | undefined
  #keySecond: string | undefined
  #key = ''

  constructor(notes: Values) {
    this.#base = notes
  }

  /** The notes after the message so far. The first change of a batch replaces the object, so read it each time. */
  get values(): Values {
    return this.#own ?? this.#base
  }

  /** Returns the notes, so that the caller can set those that are no maps. Call it only if one changes. */
  edit(): Mutable<Values> {
    this.#own ??= copyOfSlots(this.#base)
    return this.#own
  }

  /** Sets notes. A map must be a version that this batch has made, or the known one. */
  remember(changes: Partial<Values>): void {
    for (const name in changes) this.#set(name, changes[name])
  }

  /** Sets an entry of a map. An undefined value removes it. */
  setEntry<Name extends MapName<Values>>(
    name: Name,
    key: string,
    value: ItemOf<Values[Name]> | undefined,
  ): void
  setEntry(name: keyof Values, key: string, value: MapValue | undefined): void {
    const map = this.#mapOf(name)
    const changed = value === undefined ? map.without(key) : map.with(key, value)
    if (changed !== map) this.#setMap(name, changed)
  }

  /** Removes an entry of a map, or an id of a set. */
  removeEntry(name: MapName<Values>, key: string): void {
    const map = this.#mapOf(name)
    const changed = map.without(key)
    if (changed !== map) this.#setMap(name, changed)
  }

  /** Moves an entry of a map, or an id of a set, to another key. */
  moveEntry(name: MapName<Values>, from: string, to: string): void {
    const map = this.#mapOf(name)
    const value = map.get(from)
    if (value !== undefined) this.#setMap(name, map.without(from).with(to, value))
  }

  /** Keeps an item until the items of its key are taken. */
  buffer<Name extends BufferName<Values>>(name: Name, key: string, item: ItemIn<Values[Name]>): void
  buffer(name: keyof Values, key: string, item: unknown): void {
    const map = this.#mapOf(name)
    this.#setMap(name, map.with(key, { item, before: map.get(key) }))
  }

  /** Takes the items of a key, the first one first. */
  takeBuffered<Name extends BufferName<Values>>(name: Name, key: string): readonly ItemIn<Values[Name]>[]
  takeBuffered(name: keyof Values, key: string): readonly unknown[] {
    const map = this.#mapOf(name)
    const last = map.get(key)
    if (!isBuffered(last)) return []
    this.#setMap(name, map.without(key))
    return bufferedItems(last)
  }

  #mapOf(name: keyof Values): PersistentMap<MapValue> {
    const map: unknown = this.values[name]
    if (map instanceof PersistentMap) return map
    throw new TypeError(`${String(name)} is no map of the notes`)
  }

  #setMap(name: keyof Values, map: OpenMap): void
  #setMap(name: keyof Values, map: Values[keyof Values] & OpenMap): void {
    this.edit()[name] = this.open(map)
  }

  #set<Name extends keyof Values>(name: Name, value: Values[Name] | undefined): void
  #set(name: keyof Values, value: Values[keyof Values]): void {
    if (value === this.values[name]) return
    if (value instanceof PersistentMap && value !== this.#base[name]) this.open(value)
    this.edit()[name] = value
  }

  /** Lets this batch change a version of a map in place. Returns the version, which a change in this batch has made. */
  open<Map extends OpenMap>(map: Map): Map {
    if (map.open(this.#owner)) this.#mapsWithChanges = appendTo(this.#mapsWithChanges, map)
    return map
  }

  /** Returns `compositeKey` of two ids. The rules for one message ask for the same key many times, so the last one is kept. */
  keyOf(first: string, second: string): string {
    if (this.#keySecond !== second || this.#keyFirst !== first) {
      this.#keyFirst = first
      this.#keySecond = second
      this.#key = compositeKey(first, second)
    }
    return this.#key
  }

  /** Ends the batch. Returns the notes, which nothing changes any more: the same ones if nothing has changed. */
  close(): Values {
    this.#owner.isOpen = false
    for (const map of this.#mapsWithChanges ?? []) map.dropChanges()
    return this.values
  }
}

/** An object whose fields are places in a list. V8 copies a list ten times faster than an object with many fields. */
abstract class Slots {
  readonly slots: unknown[]

  constructor(slots: unknown[]) {
    this.slots = slots
  }

  abstract copy(): Slots
}

/** Returns an object with the same fields, in slots. */
export function slotsOf<Values extends object>(initial: Values): Values
export function slotsOf(initial: object): object {
  class OwnSlots extends Slots {
    copy(): Slots {
      return new OwnSlots([...this.slots])
    }
  }
  for (const [at, name] of Object.keys(initial).entries())
    Object.defineProperty(OwnSlots.prototype, name, {
      get(this: Slots): unknown {
        return this.slots[at]
      },
      set(this: Slots, value: unknown) {
        this.slots[at] = value
      },
    })
  return new OwnSlots(Object.values(initial))
}

/** Returns a copy of an object with slots, with some other values. */
export function copyOfSlots<Values extends object>(values: Values, changes?: Partial<Values>): Values
export function copyOfSlots(values: object, changes?: object): object {
  return Object.assign(values instanceof Slots ? values.copy() : { ...values }, changes)
}
