interface Undo<Value extends object | string> {
  readonly key: string
  readonly before: Value | undefined
  readonly newer: PersistentMap<Value>
}

/**
 * An immutable map with cheap updates (Baker, "Shallow binding makes functional arrays fast", 1991): the newest version
 * owns a real map, an older one knows how it differs from the next. Reading an older version moves the map back to it.
 */
export class PersistentMap<Value extends object | string> {
  #map: Map<string, Value> | undefined
  #undo: Undo<Value> | undefined

  constructor(entries: Map<string, Value> = new Map()) {
    this.#map = entries
  }

  get(key: string): Value | undefined {
    return this.#current().get(key)
  }

  values(): readonly Value[] {
    return [...this.#current().values()]
  }

  with(key: string, value: Value): PersistentMap<Value> {
    return this.#changed(key, value)
  }

  without(key: string): PersistentMap<Value> {
    return this.#changed(key, undefined)
  }

  #changed(key: string, value: Value | undefined): PersistentMap<Value> {
    const map = this.#current()
    const before = map.get(key)
    if (before === value) return this
    assign(map, key, value)
    const newer = new PersistentMap(map)
    this.#map = undefined
    this.#undo = { key, before, newer }
    return newer
  }

  #current(): Map<string, Value> {
    if (this.#map) return this.#map
    const older: PersistentMap<Value>[] = []
    let newest: PersistentMap<Value> = this
    while (newest.#undo) {
      older.push(newest)
      newest = newest.#undo.newer
    }
    return older.reduceRight((next, version) => version.#takeMapFrom(next), newest).#owned()
  }

  #takeMapFrom(next: PersistentMap<Value>): this {
    const map = next.#owned()
    if (this.#undo) {
      const { key, before } = this.#undo
      next.#undo = { key, before: map.get(key), newer: this }
      assign(map, key, before)
    }
    next.#map = undefined
    this.#map = map
    this.#undo = undefined
    return this
  }

  #owned(): Map<string, Value> {
    if (!this.#map) throw new RangeError('the newest version of a map owns it')
    return this.#map
  }
}

function assign<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
