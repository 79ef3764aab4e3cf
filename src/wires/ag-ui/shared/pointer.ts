import { asString, isObject } from '../../../json/values.ts'

/** The keys that lead from a document to one of its parts. */
export type Path = readonly string[]

/** A part that a document lacks. */
export const MISSING: unique symbol = Symbol('missing')

/** Reads a JSON Pointer (RFC 6901). */
export function readPointer(value: unknown): Path | undefined {
  const path = asString(value)
  if (path === undefined || (path !== '' && !path.startsWith('/'))) return undefined
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the part at the end of a path. */
export function partAt(document: unknown, path: Path): unknown {
  let part = document
  for (const key of path) {
    part = childOf(part, key)
    if (part === MISSING) break
  }
  return part
}

/** Returns the part of a list or object that a key names. */
export function childOf(container: unknown, key: string): unknown {
  if (Array.isArray(container)) {
    const at = indexOf(container, key)
    return at < container.length ? container[at] : MISSING
  }
  return isObject(container) && Object.hasOwn(container, key) ? container[key] : MISSING
}

/** Returns the index that a key names. It is beyond the list for any other key. */
export function indexOf(list: readonly unknown[], key: string): number {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : list.length + 1
}
