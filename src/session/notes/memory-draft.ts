import { appendTo } from '../../json/append.ts'
import { compositeKey } from '../../json/composite-key.ts'
import type { Mutable } from '../../json/mutable.ts'
import type { SessionFacts } from '../../state/session.ts'
import type { SessionTurn, TurnStatus } from '../../state/turn.ts'
import type { TurnEnd } from '../turn.ts'
import { type MapOwner, PersistentMap } from './persistent-map.ts'

/** The memory that every source has. */
export interface TranslationMemory {
  readonly facts: SessionFacts
  /** The status of main's turn, as the events so far lead to it. */
  readonly turn: TurnStatus
  readonly turnStartedAt?: string | undefined
  /** The last turn that ended, until main gets new content. */
  readonly lastTurn?: SessionTurn | undefined
  /** The end of the running turn, if the model has answered and the program has not reported the end yet. */
  readonly answer?: TurnEnd | undefined
}

/** The names of the memory's maps. */
type MapName<Memory> = {
  [Name in keyof Memory]: Memory[Name] extends PersistentMap<infer _Value> ? Name : never
}[keyof Memory]

type EntryOf<Item> = Item extends PersistentMap<infer Value> ? Value : never

type OpenMap = Pick<PersistentMap<string>, 'open' | 'dropChanges'>

/**
 * An object that has each field of a type. The value of an optional field may be undefined. A literal with each field gives all memories one
 * hidden class. A spread takes several times as long, and the first ones of a process make slow objects.
 */
export type EachField<Item> = { readonly [Name in keyof Required<Item>]: Item[Name] }

/** The memory of a batch of messages. The batch copies the memory once, and then changes its copy. */
export class MemoryDraft<Memory extends TranslationMemory> {
  /** The memory after the message so far. `remember` and the changes of entries change this object. */
  readonly memory: Memory
  readonly #base: Memory
  readonly #owner: MapOwner = { isOpen: true }
  /** The versions that keep their changes for an older one. The list has no other versions, so V8 can free one that left the memory. */
  #mapsWithChanges: OpenMap[] | undefined
  #isChanged = false
  #keyFirst: string | undefined
  #keySecond: string | undefined
  #key = ''

  /** `own` is a copy of the memory that nobody else has. */
  constructor(memory: Memory, own: EachField<Memory> & Memory) {
    this.#base = memory
    this.memory = own
  }

  /** Sets fields of the memory. A map must be a version that this batch has made, or the known one. */
  remember(changes: Partial<Memory>): void {
    for (const name in changes) this.#set(name, changes[name])
  }

  /** Returns the memory to set fields that are no maps. To set them by name takes several times as long. Call it only if one changes. */
  edit(): Mutable<Memory> {
    this.#isChanged = true
    return this.memory
  }

  /** Sets fields that all memories have. */
  protected rememberCommon(changes: Partial<TranslationMemory>): void {
    this.#isChanged = true
    Object.assign(this.memory, changes)
  }

  /** Sets an entry of a map of the memory. */
  setEntry<Name extends MapName<Memory>>(name: Name, key: string, value: EntryOf<Memory[Name]>): void
  setEntry(name: keyof Memory, key: string, value: object | string): void {
    const map = this.#mapOf(name)
    const changed = map.with(key, value)
    if (changed !== map) this.#setMap(name, changed)
  }

  /** Removes an entry of a map of the memory. */
  removeEntry(name: MapName<Memory>, key: string): void {
    const map = this.#mapOf(name)
    const changed = map.without(key)
    if (changed !== map) this.#setMap(name, changed)
  }

  #mapOf(name: keyof Memory): PersistentMap<object | string> {
    const map: unknown = this.memory[name]
    if (map instanceof PersistentMap) return map
    throw new TypeError(`${String(name)} is no map of the memory`)
  }

  #setMap(name: keyof Memory, map: OpenMap): void
  #setMap(name: keyof Memory, map: Memory[keyof Memory] & OpenMap): void {
    this.memory[name] = this.open(map)
    this.#isChanged = true
  }

  #set<Name extends keyof Memory>(name: Name, value: Memory[Name] | undefined): void
  #set(name: keyof Memory, value: Memory[keyof Memory]): void {
    if (value === this.memory[name]) return
    if (value instanceof PersistentMap && value !== this.#base[name]) this.open(value)
    this.memory[name] = value
    this.#isChanged = true
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

  /** Ends the batch. Returns the memory, which nothing changes any more. */
  protected close(): Memory {
    this.#owner.isOpen = false
    for (const map of this.#mapsWithChanges ?? []) map.dropChanges()
    return this.#isChanged ? this.memory : this.#base
  }
}
