import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asString, type JsonObject } from '../../core/json/values.ts'
import type { FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks } from '../diff/hunks.ts'
import { hunksIn } from '../diff/patch.ts'

/** A change to one file, in the words of OpenCode. */
interface ReportedChange {
  readonly path: string
  readonly kind: FileChangeKind
  readonly from?: string | undefined
  /** A unified diff. */
  readonly patch?: unknown
  readonly additions?: unknown
  readonly deletions?: unknown
}

/**
 * Returns a change with the lines of its diff. The diff decides the numbers of lines. If the diff is unreadable,
 * OpenCode's own numbers stand.
 */
export function fileChange({ path, kind, from, patch, additions, deletions }: ReportedChange): FileChange {
  const text = asString(patch) ?? ''
  const hunks = hunksIn(text)
  if (hunks.length > 0) return changeOfHunks({ path, kind, from }, hunks)
  const added = asFiniteNumber(additions) ?? countMarks(text.split('\n'), '+')
  const removed = asFiniteNumber(deletions) ?? countMarks(text.split('\n'), '-')
  return omitUndefined({ path, kind, added, removed, from })
}

/** Counts the lines with a mark in a malformed diff. The head of a file repeats its mark. */
function countMarks(lines: readonly string[], mark: string): number {
  return lines.filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length
}

const KINDS: ReadonlyMap<unknown, FileChangeKind> = new Map<unknown, FileChangeKind>([
  ['add', 'add'],
  ['added', 'add'],
  ['delete', 'delete'],
  ['deleted', 'delete'],
  ['move', 'move'],
])

/** Returns the kind of a change that names its kind, or that has the texts before and after it, as in earlier versions. */
export function kindOf({ type, status, before, after }: JsonObject): FileChangeKind {
  const named = KINDS.get(type ?? status)
  if (named) return named
  if (before === '' && after !== '') return 'add'
  return after === '' && before !== undefined ? 'delete' : 'edit'
}
