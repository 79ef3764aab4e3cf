import type { Entry, EntryHead } from './entry.ts'
import type { SessionDetails } from './session-details.ts'
import { IndexStore } from './store.ts'
import { DamagedIndexError } from './stored-rows.ts'
import type { TextSignature } from './text-signature.ts'

/**
 * Keeps the entries in the database, and those in memory that it does not take: a full disk, a folder that nobody may
 * write to, a damaged database or another process that changes it make an index slower, and never wrong.
 */
export class StoreOrMemory {
  readonly #path: string | undefined
  #store: IndexStore | undefined
  #isOpen = false
  /** The generation of the database that `#loaded` shows. */
  #generation: number | undefined
  #loaded: ReadonlyMap<string, EntryHead> = new Map()
  /** The entries that this process has read, and that the database does not have. */
  readonly #unsaved = new Map<string, Entry>()

  /** Without a path, all entries stay in memory. */
  constructor(path: string | undefined) {
    this.#path = path
  }

  /** Returns the newest heads: those of the database, and those in memory. */
  async load(): Promise<ReadonlyMap<string, EntryHead>> {
    await this.#open()
    const loaded = await this.#try((store) => store.load(this.#generation))
    if (loaded) {
      this.#generation = loaded.generation
      this.#loaded = loaded.heads
    }
    const unsaved = [...this.#unsaved].map(([key, entry]) => [key, headOf(entry)] as const)
    return new Map([...this.#loaded, ...unsaved])
  }

  /** Keeps everything in memory from now on. */
  forgetStore(): void {
    this.close()
    this.#isOpen = true
    this.#generation = undefined
    this.#loaded = new Map()
  }

  /** Saves entries. `heads` are those of the index after them. */
  async save(
    entries: readonly Entry[],
    removed: readonly string[],
    heads: ReadonlyMap<string, EntryHead>,
  ): Promise<void> {
    for (const key of removed) this.#unsaved.delete(key)
    for (const entry of entries) this.#unsaved.set(entry.key, entry)
    const generation = this.#generation
    if (generation === undefined) return
    const changes = { generation, entries: [...this.#unsaved.values()], removed }
    const saved = await this.#try((store) => store.save(changes))
    if (saved === undefined) {
      // Another process was faster. The next update compares its entries with the files, and tries again.
      this.#generation = undefined
      return
    }
    this.#generation = saved
    this.#loaded = new Map(heads)
    this.#unsaved.clear()
  }

  /** Returns the details of all sessions. Undefined if the database does not have them any more: only an update gives them then. */
  async details(keys: Iterable<string>): Promise<ReadonlyMap<string, SessionDetails> | undefined> {
    return this.#side(keys, {
      load: (store, generation) => store.details(generation),
      valueIn: (entry) => entry.details,
    })
  }

  /** Returns the signatures of all sessions, as `details` does. */
  async signatures(keys: Iterable<string>): Promise<ReadonlyMap<string, TextSignature> | undefined> {
    return this.#side(keys, {
      load: (store, generation) => store.signatures(generation),
      valueIn: (entry) => entry.signature,
    })
  }

  async #side<Value>(
    keys: Iterable<string>,
    { load, valueIn }: SideTable<Value>,
  ): Promise<ReadonlyMap<string, Value> | undefined> {
    const generation = this.#generation
    const loaded = generation === undefined ? undefined : await this.#try((store) => load(store, generation))
    const found = new Map<string, Value>()
    for (const key of keys) {
      const entry = this.#unsaved.get(key)
      const value = entry ? valueIn(entry) : loaded?.get(key)
      if (value === undefined) {
        this.#generation = undefined
        return undefined
      }
      found.set(key, value)
    }
    return found
  }

  async progress(key: string): Promise<unknown> {
    return this.#unsaved.get(key)?.progress ?? (await this.#try((store) => store.progress(key)))
  }

  close(): void {
    this.#store?.close()
    this.#store = undefined
  }

  async #open(): Promise<void> {
    if (this.#isOpen || this.#path === undefined) return
    this.#isOpen = true
    const path = this.#path
    try {
      this.#store = await openOrRemake(path)
    } catch {
      // The system refuses the file: everything stays in memory.
      this.#store = undefined
    }
  }

  /** Returns undefined if the database cannot do the work. Then it is not asked again. */
  async #try<Value>(work: (store: IndexStore) => Promise<Value>): Promise<Value | undefined> {
    if (!this.#store) return undefined
    try {
      return await work(this.#store)
    } catch (error) {
      this.close()
      this.#generation = undefined
      this.#loaded = new Map()
      if (error instanceof DamagedIndexError && this.#path !== undefined) {
        IndexStore.remove(this.#path)
        this.#isOpen = false
      }
      return undefined
    }
  }
}

interface SideTable<Value> {
  readonly load: (store: IndexStore, generation: number) => Promise<ReadonlyMap<string, Value> | undefined>
  readonly valueIn: (entry: Entry) => Value
}

/** Returns the part of an entry that is needed at once. */
export function headOf({
  details: _details,
  signature: _signature,
  progress: _progress,
  ...head
}: Entry): EntryHead {
  return head
}

async function openOrRemake(path: string): Promise<IndexStore | undefined> {
  try {
    return await IndexStore.open(path)
  } catch (error) {
    if (!(error instanceof DamagedIndexError)) throw error
    IndexStore.remove(path)
    return IndexStore.open(path)
  }
}
