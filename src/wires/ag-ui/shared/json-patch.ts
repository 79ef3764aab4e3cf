import { isTooDeep, MAX_DEPTH } from '../../../core/json/depth.ts'
import { isEqual } from '../../../core/json/equal.ts'
import { asArray, asObject, type JsonObject } from '../../../core/json/values.ts'
import { MISSING, OwnedDocument, type Path, partAt, readPointer } from './owned-document.ts'

/** The most that the copies of a patch may add, in values and UTF-16 units. A few copies of the whole document would double it each time. */
const MAX_COPIED = 100_000

/** The deepest level of a patched document. An event holds the content of an activity two levels deeper. */
const MAX_LEVELS = MAX_DEPTH - 2

/** Applies a JSON Patch (RFC 6902). Returns undefined if an operation does not fit. The given document never changes. */
export function applyPatch(document: unknown, patch: unknown): { readonly document: unknown } | undefined {
  const owned = new OwnedDocument(document)
  return patchDocument(owned, patch) ? { document: owned.root } : undefined
}

/** Applies a JSON Patch (RFC 6902). Returns whether all operations fit: if not, the document stays as it is, but for the order of its keys. */
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
 * Releases the parts of a value that gets a second place. Returns the size of the value as JSON has it, which counts a shared part each
 * time. Stops above the limit.
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
