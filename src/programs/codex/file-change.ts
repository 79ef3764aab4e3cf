import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings } from '../../core/json/lists.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks, hunksOfNewFile, linesOf } from '../diff/hunks.ts'
import { hunksIn } from '../diff/patch.ts'

/** The change of a call to one file, as far as the call states it. */
interface ChangedPath {
  readonly path: string
  readonly kind: 'add' | 'delete' | 'update'
}

/** The effect of a patch on one file. */
export interface PatchedFile extends ChangedPath {
  readonly movedTo?: string | undefined
  /** The text of an added or deleted file, or a unified diff. Absent if the form has neither. */
  readonly text?: string | undefined
}

/**
 * Reads the changes of an item: a list with diffs (app-server) or without them (exec), or an object by path
 * (rollout). Returns them in the order of their paths.
 */
export function readChanges(changes: unknown): readonly PatchedFile[] {
  const files = Array.isArray(changes)
    ? changes.flatMap((change) => readListed(asObject(change)))
    : Object.entries(asObject(changes)).map(([path, change]) => readKeyed(path, asObject(change)))
  return inOrder(files)
}

/** Returns the files in the order of their paths, in which the program reports them. */
export function inOrder(files: readonly PatchedFile[]): readonly PatchedFile[] {
  return [...files].sort((left, right) => compareStrings(left.path, right.path))
}

function readListed({ path, kind, diff }: JsonObject): readonly PatchedFile[] {
  const name = asString(path)
  if (name === undefined) return []
  const { type, move_path } = isObject(kind) ? kind : { type: kind }
  const text = asString(diff)?.replace(/\n\nMoved to: [^\n]*$/, '')
  return [{ path: name, kind: kindOf(type), movedTo: asString(move_path), text }]
}

function readKeyed(path: string, { type, content, unified_diff, move_path }: JsonObject): PatchedFile {
  const text = asString(unified_diff) ?? asString(content)
  return { path, kind: kindOf(type), movedTo: asString(move_path), text }
}

/** Returns the kind of a change. A form may have other words for an update. */
export function kindOf(type: unknown): ChangedPath['kind'] {
  return type === 'add' || type === 'delete' ? type : 'update'
}

/** Returns the paths and kinds, which are the same in every form. */
export function changedPaths(files: readonly PatchedFile[]): readonly ChangedPath[] {
  return files.map(({ path, kind }) => ({ path, kind }))
}

/** Returns the change to a file with its hunks, or without them if the form has no text. */
export function fileChangeOf({ path, kind, movedTo, text }: PatchedFile): FileChange {
  const file = omitUndefined({
    path: movedTo ?? path,
    kind: movedTo === undefined ? CHANGE_KINDS[kind] : 'move',
    from: movedTo === undefined ? undefined : path,
  })
  if (text === undefined) return { added: 0, removed: 0, ...file }
  if (kind === 'add') return changeOfHunks(file, hunksOfNewFile(text))
  if (kind === 'delete') return changeOfHunks(file, hunksOfOldFile(text))
  return changeOfHunks(file, hunksIn(text))
}

/** The kinds of changes that leave a file in its place. */
const CHANGE_KINDS: Readonly<Record<ChangedPath['kind'], FileChangeKind>> = {
  add: 'add',
  delete: 'delete',
  update: 'edit',
}

function hunksOfOldFile(text: string): FileChange['hunks'] & object {
  const lines = linesOf(text).map((line) => `-${line}`)
  return lines.length === 0 ? [] : [{ oldStart: 1, oldLines: lines.length, newStart: 0, newLines: 0, lines }]
}
