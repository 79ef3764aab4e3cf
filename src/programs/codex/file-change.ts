import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings } from '../../core/json/lists.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import {
  absolutePath,
  type DiffHunk,
  type FileChange,
  type FileChangeKind,
} from '../../core/state/file-change.ts'
import { changeOfHunks, hunksIn, hunksOfNewFile, hunksText, linesOf } from '../diff.ts'

/** The change of a call to one file, as far as the call states it. */
interface ChangedPath {
  readonly path: string
  readonly kind: 'add' | 'delete' | 'update'
}

/** The effect of a patch on one file. */
interface PatchedFile extends ChangedPath {
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
function inOrder(files: readonly PatchedFile[]): readonly PatchedFile[] {
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
function kindOf(type: unknown): ChangedPath['kind'] {
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

/** A file in the text of a patch, with its lines. They have marks, and no line numbers. */
interface PatchSection {
  readonly file: PatchedFile
  readonly lines: readonly string[]
}

const HEAD = /^\*\*\* (Add|Delete|Update) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** Reads the text of an `apply_patch` call. Its paths may be relative to the working folder. */
export function readPatchText(text: string, cwd: string | undefined): readonly PatchSection[] {
  const sections: { file: PatchedFile; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const [, kind, path] = HEAD.exec(line) ?? []
    const movedTo = MOVE.exec(line)?.[1]
    const last = sections.at(-1)
    if (path !== undefined)
      sections.push({
        file: { path: absolutePath(path.trim(), cwd), kind: kindOf(kind?.toLowerCase()) },
        lines: [],
      })
    else if (last && movedTo !== undefined)
      last.file = { ...last.file, movedTo: absolutePath(movedTo.trim(), cwd) }
    else if (last && /^[-+ ]/.test(line)) last.lines.push(line)
  }
  return sections
}

/** Returns the input of the call as other forms report it. */
export function patchInput(sections: readonly PatchSection[]): unknown {
  return { changes: changedPaths(inOrder(sections.map(({ file }) => file))) }
}

/** Returns the changes of a patch that was applied. Only those of added files have line numbers. */
export function patchChanges(sections: readonly PatchSection[]): readonly FileChange[] {
  const byPath = new Map(sections.map((section) => [section.file, section.lines]))
  return inOrder([...byPath.keys()]).map((file) => changeOf(file, byPath.get(file) ?? []))
}

function changeOf(file: PatchedFile, lines: readonly string[]): FileChange {
  if (file.kind === 'add')
    return fileChangeOf({ ...file, text: lines.map((line) => `${line.slice(1)}\n`).join('') })
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const { hunks, ...change } = fileChangeOf(file)
  return omitUndefined({ ...change, added: count('+'), removed: count('-') })
}

/** Returns changes as a rollout has those of a patch, by path; undefined if they would be read in another way. */
export function changesByPath(changes: readonly FileChange[]): JsonObject | undefined {
  const byPath = Object.fromEntries(
    changes.map((change) => [change.from ?? change.path, storedChange(change)]),
  )
  const sorted = [...changes].sort((left, right) =>
    compareStrings(left.from ?? left.path, right.from ?? right.path),
  )
  return isEqual(readChanges(byPath).map(fileChangeOf), sorted) ? byPath : undefined
}

function storedChange({ path, kind, from, hunks }: FileChange): JsonObject {
  if (!hunks) return { type: kind }
  if (kind === 'add' || kind === 'delete') {
    const lines = hunks.flatMap((hunk) => hunk.lines.map((line) => `${line.slice(1)}\n`))
    return { type: kind, content: lines.join('') }
  }
  return {
    type: 'update',
    unified_diff: `${hunksText(hunks)}\n`,
    move_path: from === undefined ? null : path,
  }
}

/** Returns the patch that writes a whole file. */
export function patchOfNewFile(path: string, content: string): string {
  return patchText([`*** Add File: ${path}`, ...linesOf(content).map((line) => `+${line}`)])
}

/** Returns the patch that replaces a text in a file. */
export function patchOfEdit(path: string, before: string, after: string): string {
  const lines = [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  return patchText([`*** Update File: ${path}`, '@@', ...lines])
}

/** Returns the patch of changes to files; undefined if the lines of one are unknown. */
export function patchOfChanges(changes: readonly FileChange[]): string | undefined {
  if (changes.length === 0 || changes.some(({ kind, hunks }) => kind !== 'delete' && !hunks)) return undefined
  return patchText(changes.flatMap(sectionOf))
}

function sectionOf({ path, kind, from, hunks = [] }: FileChange): readonly string[] {
  if (kind === 'delete') return [`*** Delete File: ${path}`]
  if (kind === 'add') return [`*** Add File: ${path}`, ...hunks.flatMap(({ lines }) => lines)]
  const head =
    from === undefined ? [`*** Update File: ${path}`] : [`*** Update File: ${from}`, `*** Move to: ${path}`]
  return [...head, ...hunks.flatMap((hunk: DiffHunk) => ['@@', ...hunk.lines])]
}

function patchText(lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}
