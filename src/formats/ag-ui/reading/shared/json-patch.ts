import { isEqual } from '../../../../json/equal.ts'
import { asArray, asObject, asString, isObject } from '../../../../json/values.ts'

/** A patch that does not fit its document. */
const MISFIT = Symbol('misfit')

/** Applies a JSON Patch (RFC 6902). Returns undefined if an operation does not fit: the document then stays as it is. */
export function applyPatch(document: unknown, patch: unknown): { readonly document: unknown } | undefined {
  let current = document
  const copies = { size: 0 }
  for (const operation of asArray(patch)) {
    current = applyOperation(current, asObject(operation), copies)
    if (current === MISFIT) return undefined
  }
  return { document: current }
}

/** The most that the copies of a patch may add, in values and UTF-16 units. A few copies of the whole document would double it each time. */
const MAX_COPIED = 100_000

/** Returns the size of a value as JSON has it, which counts a shared part each time. Stops above the limit. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 1
  let size = 1
  if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) {
      if (size > limit) break
      size += sizeOf(item, limit - size)
    }
  return size
}

function applyOperation(
  document: unknown,
  { op, path, from, value }: Readonly<Record<string, unknown>>,
  copies: { size: number },
): unknown {
  const to = readPointer(path)
  if (!to) return MISFIT
  if (op === 'add') return add(document, to, value)
  if (op === 'remove') return change(document, to, removeKey)
  if (op === 'replace') return to.length === 0 ? value : change(document, to, setKey(value))
  if (op === 'test') return isEqual(valueAt(document, to), value) ? document : MISFIT
  const source = readPointer(from)
  const moved = source ? valueAt(document, source) : MISFIT
  if (!source || moved === MISFIT || (op !== 'move' && op !== 'copy')) return MISFIT
  if (op === 'copy') copies.size += sizeOf(moved, MAX_COPIED)
  if (copies.size > MAX_COPIED) return MISFIT
  const rest = op === 'move' ? change(document, source, removeKey) : document
  return rest === MISFIT ? MISFIT : add(rest, to, moved)
}

/** Reads a JSON Pointer (RFC 6901). */
function readPointer(value: unknown): readonly string[] | undefined {
  const path = asString(value)
  if (path === undefined || (path !== '' && !path.startsWith('/'))) return undefined
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let current = document
  for (const key of path) {
    if (!hasKey(current, key)) return MISFIT
    current = Reflect.get(Object(current), key)
  }
  return current
}

function hasKey(container: unknown, key: string): boolean {
  if (Array.isArray(container)) return indexOf(container, key) < container.length
  return isObject(container) && Object.hasOwn(container, key)
}

/** Returns the index that a key names. It is beyond the list for any other key. */
function indexOf(list: readonly unknown[], key: string): number {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : list.length + 1
}

type Change = (container: unknown, key: string) => unknown

/** Returns a copy of the document with a changed container. Parts beside the path are the same objects. */
function change(document: unknown, [key, ...path]: readonly string[], last: Change): unknown {
  if (key === undefined) return MISFIT
  if (path.length === 0) return last(document, key)
  if (!hasKey(document, key)) return MISFIT
  const changed = change(Reflect.get(Object(document), key), path, last)
  return changed === MISFIT ? MISFIT : setKey(changed)(document, key)
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value
  return change(document, path, (container, key) => {
    if (!Array.isArray(container)) return isObject(container) ? withKey(container, key, value) : MISFIT
    const at = key === '-' ? container.length : indexOf(container, key)
    return at > container.length ? MISFIT : [...container.slice(0, at), value, ...container.slice(at)]
  })
}

function setKey(value: unknown): Change {
  return (container, key) => {
    if (!hasKey(container, key)) return MISFIT
    if (!Array.isArray(container)) return withKey(asObject(container), key, value)
    return container.map((item: unknown, at) => (at === Number(key) ? value : item))
  }
}

function removeKey(container: unknown, key: string): unknown {
  if (!hasKey(container, key)) return MISFIT
  if (Array.isArray(container)) return container.filter((_, at) => at !== Number(key))
  return Object.fromEntries(Object.entries(asObject(container)).filter(([name]) => name !== key))
}

/** A computed key, not an assignment, keeps `__proto__` an ordinary key. */
function withKey(container: object, key: string, value: unknown): object {
  return { ...container, [key]: value }
}
