interface Undo<Value extends object | string> {
  readonly key: string
  readonly before: Value | undefined
  readonly newer: PersistentMap<Value>
}

/**
 * An immutable map with cheap updates: the newest version owns a real map, an older one knows how it differs from the
 * next (after Baker, "Shallow binding makes functional arrays fast", 1991). An older version that is used again gets a
 * copy of its own, so two that go on from the same one do not slow each other down.
 */
export class PersistentMap<Value extends object | string> {
  #map: Map<string, Value> | undefined = new Map()
  #undo: Undo<Value> | undefined

  get(key: string): Value | undefined {
    return this.#own().get(key)
  }

  get isEmpty(): boolean {
    return this.#own().size === 0
  }

  /** Returns a list of its own, free to be sorted. */
  values(): Value[] {
    return [...this.#own().values()]
  }

  with(key: string, value: Value): PersistentMap<Value> {
    return this.#changed(key, value)
  }

  without(key: string): PersistentMap<Value> {
    return this.#changed(key, undefined)
  }

  #changed(key: string, value: Value | undefined): PersistentMap<Value> {
    const map = this.#own()
    const before = map.get(key)
    if (before === value) return this
    const newer = new PersistentMap<Value>()
    // An empty map stays with its version: many sessions begin with the same one.
    if (map.size > 0) {
      newer.#map = map
      this.#map = undefined
      this.#undo = { key, before, newer }
    }
    assign(newer.#own(), key, value)
    return newer
  }

  #own(): Map<string, Value> {
    this.#map ??= this.#copy()
    return this.#map
  }

  /** The map of the next version that has one, with everything undone that came in between. */
  #copy(): Map<string, Value> {
    const undos: Undo<Value>[] = []
    let version: PersistentMap<Value> = this
    while (!version.#map && version.#undo) {
      undos.push(version.#undo)
      version = version.#undo.newer
    }
    const map = new Map(version.#map)
    for (const { key, before } of undos.reverse()) assign(map, key, before)
    this.#undo = undefined
    return map
  }
}

function assign<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
