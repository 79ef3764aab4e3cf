import { isTooDeep, MAX_DEPTH } from '../../../core/json/depth.ts'
import { isEqual } from '../../../core/json/equal.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'

/** The keys that lead from a document to one of its parts. */
type Path = readonly string[]

/** A part that a document lacks. */
const MISSING: unique symbol = Symbol('missing')

/**
 * A JSON document that many patches change. The first change of a list or object copies it, and later changes edit
 * the copy. So a thousand patches of one large object copy it once. The lists and objects of a caller never change.
 */
export class OwnedDocument {
  #root: unknown
  /** The lists and objects that this document has made. Nobody else holds them, and each has one place. */
  readonly #owned = new WeakSet<object>()
  /** The steps that take back the changes of the current patch. */
  #undo: (() => void)[] = []
  /** The lists and objects that the document has owned until the current patch. */
  readonly #released = new Set<object>()

  constructor(root: unknown) {
    this.#root = root
  }

  get root(): unknown {
    return this.#root
  }

  /** Makes all changes of a patch, or none of them if it returns false. A removed key that comes back is the last one of its object. */
  change(patch: () => boolean): boolean {
    const isFit = patch()
    if (!isFit) for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
    this.#released.clear()
    return isFit
  }

  /** Adds a value at a path, or replaces a key's value. Returns whether the path fits the document. */
  add(path: Path, value: unknown): boolean {
    const key = path.at(-1)
    if (key === undefined) return this.#setRoot(value)
    const container = this.#open(path)
    if (!Array.isArray(container)) return container !== undefined && this.#set(container, key, value)
    const at = key === '-' ? container.length : indexOf(container, key)
    return at <= container.length && this.#insert(container, at, value)
  }

  /** Replaces the part at a path. Returns whether there is one. */
  replace(path: Path, value: unknown): boolean {
    const key = path.at(-1)
    if (key === undefined) return this.#setRoot(value)
    const container = this.#open(path)
    return container !== undefined && hasKey(container, key) && this.#set(container, key, value)
  }

  /** Removes the part at a path. Returns whether there is one. The document itself stays. */
  remove(path: Path): boolean {
    const key = path.at(-1)
    const container = this.#open(path)
    if (key === undefined || container === undefined || !hasKey(container, key)) return false
    return Array.isArray(container) ? this.#cut(container, Number(key)) : this.#delete(container, key)
  }

  /** Makes the next change of a list or object copy it again, because it has another holder or place now. */
  release(part: unknown): void {
    if (typeof part === 'object' && part !== null && this.#owned.delete(part)) this.#released.add(part)
  }

  /** Returns the list or object that has the last key of a path. The document then owns all lists and objects on the path. */
  #open(path: Path): object | undefined {
    let container = this.#own(this.#root, (part) => {
      this.#root = part
    })
    for (const key of path.slice(0, -1)) {
      const parent = container
      if (!parent) return undefined
      container = this.#own(childOf(parent, key), (part) => setKey(parent, key, part))
    }
    return container
  }

  /** Returns a part as the document's own. `put` puts a copy at its place. */
  #own(part: unknown, put: (part: object) => void): object | undefined {
    if (typeof part !== 'object' || part === null) return undefined
    if (this.#owned.has(part)) return part
    const copy: object = Array.isArray(part) ? part.slice() : { ...part }
    this.#owned.add(copy)
    put(copy)
    // An equal copy can stay, but earlier changes of this patch are taken back in the part itself.
    if (this.#released.has(part)) this.#undo.push(() => put(part))
    return copy
  }

  #setRoot(value: unknown): true {
    const before = this.#root
    this.#root = value
    this.#undo.push(() => {
      this.#root = before
    })
    return true
  }

  #set(container: object, key: string, value: unknown): true {
    const before = childOf(container, key)
    setKey(container, key, value)
    if (before === MISSING) this.#undo.push(() => Reflect.deleteProperty(container, key))
    else this.#undo.push(() => setKey(container, key, before))
    return true
  }

  #delete(container: object, key: string): true {
    const before = childOf(container, key)
    Reflect.deleteProperty(container, key)
    this.#undo.push(() => setKey(container, key, before))
    return true
  }

  #insert(list: unknown[], at: number, value: unknown): true {
    list.splice(at, 0, value)
    this.#undo.push(() => list.splice(at, 1))
    return true
  }

  #cut(list: unknown[], at: number): true {
    const before = list.splice(at, 1)
    this.#undo.push(() => list.splice(at, 0, ...before))
    return true
  }
}

function hasKey(container: object, key: string): boolean {
  return childOf(container, key) !== MISSING
}

/** An assignment to `__proto__` would set the prototype. */
function setKey(container: object, key: string, value: unknown): void {
  Object.defineProperty(container, key, { configurable: true, enumerable: true, writable: true, value })
}

/** Reads a JSON Pointer (RFC 6901). */
function readPointer(value: unknown): Path | undefined {
  const path = asString(value)
  if (path === undefined || (path !== '' && !path.startsWith('/'))) return undefined
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the part at the end of a path. */
function partAt(document: unknown, path: Path): unknown {
  let part = document
  for (const key of path) {
    part = childOf(part, key)
    if (part === MISSING) break
  }
  return part
}

/** Returns the part of a list or object that a key names. */
function childOf(container: unknown, key: string): unknown {
  if (Array.isArray(container)) {
    const at = indexOf(container, key)
    return at < container.length ? container[at] : MISSING
  }
  return isObject(container) && Object.hasOwn(container, key) ? container[key] : MISSING
}

/** Returns the index that a key names. It is beyond the list for any other key. */
function indexOf(list: readonly unknown[], key: string): number {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : list.length + 1
}

/**
 * The most that the copies of a patch may add, in values and UTF-16 units. A few copies of the whole document would
 * double it each time.
 */
const MAX_COPIED = 100_000

/** The deepest level of a patched document. An event holds the content of an activity two levels deeper. */
const MAX_LEVELS = MAX_DEPTH - 2

/** Applies a JSON Patch (RFC 6902). Returns undefined if an operation does not fit. The given document never changes. */
export function applyPatch(document: unknown, patch: unknown): { readonly document: unknown } | undefined {
  const owned = new OwnedDocument(document)
  return patchDocument(owned, patch) ? { document: owned.root } : undefined
}

/**
 * Applies a JSON Patch (RFC 6902). Returns whether all operations fit: if not, the document stays as it is, but for
 * the order of its keys.
 */
export function patchDocument(document: OwnedDocument, patch: unknown): boolean {
  const copies = { size: 0 }
  return document.change(() => {
    for (const operation of asArray(patch))
      if (!applyOperation(document, asObject(operation), copies)) return false
    return true
  })
}

function applyOperation(document: OwnedDocument, operation: JsonObject, copies: { size: number }): boolean {
  const { op, path, from, value } = operation
  const to = readPointer(path)
  if (!to) return false
  switch (op) {
    case 'add':
      return hasRoom(to, value) && document.add(to, value)
    case 'replace':
      return hasRoom(to, value) && document.replace(to, value)
    case 'remove':
      return document.remove(to)
    case 'test':
      return isEqual(partAt(document.root, to), value)
    case 'move':
    case 'copy':
      return transfer(document, { op, from, to }, copies)
    default:
      return false
  }
}

function transfer(
  document: OwnedDocument,
  { op, from, to }: { readonly op: 'move' | 'copy'; readonly from?: unknown; readonly to: Path },
  copies: { size: number },
): boolean {
  const source = readPointer(from)
  const part = source ? partAt(document.root, source) : MISSING
  if (!source || part === MISSING) return false
  if (to.length > source.length && !hasRoom(to, part)) return false
  if (op === 'move') return document.remove(source) && document.add(to, part)
  copies.size += releaseAll(part, MAX_COPIED, document)
  return copies.size <= MAX_COPIED && document.add(to, part)
}

/** Whether a value at a path is not nested too deep in its document. */
function hasRoom(path: Path, value: unknown): boolean {
  return path.length <= MAX_LEVELS && !isTooDeep(value, MAX_LEVELS - path.length)
}

/**
 * Releases the parts of a value that gets a second place. Returns the size of the value as JSON has it, which counts
 * a shared part each time. Stops above the limit.
 */
function releaseAll(value: unknown, limit: number, document: OwnedDocument): number {
  if (typeof value === 'string') return value.length + 1
  let size = 1
  if (typeof value !== 'object' || value === null) return size
  document.release(value)
  for (const item of Object.values(value)) {
    if (size > limit) break
    size += releaseAll(item, limit - size, document)
  }
  return size
}
