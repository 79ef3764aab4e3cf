import type { StructuredPatch, StructuredPatchHunk } from 'diff'
import { diffArrays } from 'diff/lib/diff/array.js'
import { parsePatch } from 'diff/lib/patch/parse.js'
import { omitUndefined } from '../core/json/fields.ts'
import { isString } from '../core/json/values.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../core/state/file-change.ts'

/** The changes to one file in a unified diff. */
export interface FilePatch {
  /** The names in the head of the diff. `/dev/null` stands for no file. */
  readonly oldName: string | undefined
  readonly newName: string | undefined
  readonly hunks: readonly DiffHunk[]
}

/** Returns hunks as a unified diff has them. */
export function hunksText(hunks: readonly DiffHunk[]): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n')
}

/** Returns the unified diff of a change to one file; undefined if its lines are unknown. */
export function patchText({ path, kind, from = path, hunks }: FileChange): string | undefined {
  if (!hunks) return undefined
  const [before, after] = [kind === 'add' ? NO_FILE : from, kind === 'delete' ? NO_FILE : path]
  return `--- ${quoted(before)}\n+++ ${quoted(after)}\n${hunksText(hunks)}\n`
}

/** The name that stands for no file. */
const NO_FILE = '/dev/null'

/** Returns a name as Git quotes it, if it needs that: a reader takes the text after a tab for a time, and trims spaces. */
function quoted(name: string): string {
  if (!/^["\s]|\s$|[\t-\r]|\\\\/.test(name)) return name
  const octal = (mark: string) => `\\${mark.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `"${name.replace(/["\\]/g, '\\$&').replace(/[\t-\r]/g, octal)}"`
}

/** Reads a unified diff. Returns no files if the text is malformed, as one that was cut, or if it has no diff. */
export function readPatch(text: string): readonly FilePatch[] {
  return parse(text).flatMap(({ oldFileName: oldName, newFileName: newName, hunks }) => {
    const isEmpty = hunks.length === 0 && oldName === undefined && newName === undefined
    return isEmpty ? [] : [{ oldName, newName, hunks: hunks.map(asHunk) }]
  })
}

/** Returns the hunks of all files in a unified diff. */
export function hunksIn(text: string): readonly DiffHunk[] {
  return readPatch(text).flatMap(({ hunks }) => hunks)
}

/** Returns the file that a diff changes, and what it does to the file. The path is undefined if the diff has no names. */
export function fileOf({ oldName, newName }: Pick<FilePatch, 'oldName' | 'newName'>): PatchedFile {
  if (newName === NO_FILE) return { path: oldName, kind: 'delete' }
  return { path: newName, kind: oldName === NO_FILE ? 'add' : 'edit' }
}

/** Returns the changes in a unified diff of several files. */
export function changesInPatch(text: string): readonly FileChange[] {
  return readPatch(text).flatMap((patch) => {
    const { path, kind } = fileOf(patch)
    const from = kind === 'edit' && patch.oldName !== path ? patch.oldName : undefined
    const file = { path: path ?? '', kind: from === undefined ? kind : 'move', from } as const
    return path === undefined ? [] : changeOfHunks(file, patch.hunks)
  })
}

interface PatchedFile {
  readonly path: string | undefined
  readonly kind: FileChangeKind
}

/** The parser throws an error for any malformed text. */
function parse(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text)
  } catch {
    return []
  }
}

/** The parser names the line after a place without lines. A unified diff names the line before it. */
function asHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): DiffHunk {
  return {
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    lines,
  }
}

const KINDS: Readonly<Record<string, FileChangeKind>> = { Add: 'add', Update: 'edit', Delete: 'delete' }

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/**
 * Returns the changes that a call of `apply_patch` has made: `*** Add File: <path>` and lines with marks. It does not
 * say at which lines of a file, nor what a deleted one had.
 */
export function changesOfPatch(patch: string): readonly FileChange[] {
  return patch.split(/^(?=\*\*\* (?:Add|Update|Delete) File: )/m).flatMap((section) => {
    const [head = '', ...lines] = linesOf(section)
    const [, type = '', path = ''] = FILE.exec(head.trimEnd()) ?? []
    const kind = KINDS[type]
    return kind === undefined ? [] : [changeOf(path, kind, lines)]
  })
}

function changeOf(path: string, kind: FileChangeKind, lines: readonly string[]): FileChange {
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark))
  if (kind === 'add') {
    const content = marked('+').map((line) => `${line.slice(1)}\n`)
    return changeOfHunks({ path, kind }, hunksOfNewFile(content.join('')))
  }
  const to = lines.flatMap((line) => /^\*\*\* Move to: (.+?)\s*$/.exec(line)?.[1] ?? [])[0]
  const counts = { added: marked('+').length, removed: marked('-').length }
  return omitUndefined({
    path: to ?? path,
    kind: to === undefined ? kind : 'move',
    ...counts,
    from: to && path,
  })
}

/** A file, and what a change did to it. */
interface ChangedFile extends Pick<FileChange, 'path' | 'kind'> {
  /** The path before a move. */
  readonly from?: string | undefined
}

/** Returns a change that consists of these hunks. They decide its numbers of lines. */
export function changeOfHunks({ path, kind, from }: ChangedFile, hunks: readonly DiffHunk[]): FileChange {
  return omitUndefined({ path, kind, ...countLines(hunks), from, hunks })
}

/** Counts the new lines and the lines that are gone. */
export function countLines(hunks: readonly DiffHunk[]): Pick<FileChange, 'added' | 'removed'> {
  let added = 0
  let removed = 0
  for (const { lines } of hunks)
    for (const line of lines) {
      if (line.startsWith('+')) added += 1
      if (line.startsWith('-')) removed += 1
    }
  return { added, removed }
}

/** Returns the lines of a text. A final newline begins no further line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Returns the hunks of a new file: one, or none if the file is empty. */
export function hunksOfNewFile(content: string): readonly DiffHunk[] {
  const lines = linesOf(content).map((line) => `+${line}`)
  if (lines.length === 0) return []
  return [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines }]
}

/** Lists that differ in more places are taken as wholly different. So the cost stays linear. */
const MAX_EDITS = 200

/** Returns one hunk from the first line that differs to the last one. It has no further lines around it. */
export function hunksBetween(before: string, after: string): readonly DiffHunk[] {
  const oldLines = linesOf(before)
  const newLines = linesOf(after)
  const start = equalAtStart(oldLines, newLines)
  const end = equalAtEnd(oldLines.slice(start), newLines.slice(start))
  const gone = oldLines.slice(start, oldLines.length - end)
  const come = newLines.slice(start, newLines.length - end)
  if (gone.length === 0 && come.length === 0) return []
  // A hunk without lines of one side names the line before it.
  return [
    {
      oldStart: gone.length === 0 ? start : start + 1,
      oldLines: gone.length,
      newStart: come.length === 0 ? start : start + 1,
      newLines: come.length,
      lines: markedLines(gone, come),
    },
  ]
}

function markedLines(gone: readonly string[], come: readonly string[]): readonly string[] {
  const parts = diffArrays([...gone], [...come], { maxEditLength: MAX_EDITS })
  if (!parts) return [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)]
  return parts.flatMap(({ added, removed, value }) => {
    const mark = added ? '+' : removed ? '-' : ' '
    return value.map((line) => mark + line)
  })
}

function equalAtStart(left: readonly string[], right: readonly string[]): number {
  const length = Math.min(left.length, right.length)
  let count = 0
  while (count < length && left[count] === right[count]) count += 1
  return count
}

function equalAtEnd(left: readonly string[], right: readonly string[]): number {
  const length = Math.min(left.length, right.length)
  let count = 0
  while (count < length && left[left.length - count - 1] === right[right.length - count - 1]) count += 1
  return count
}

/** Returns the change of a whole new file; undefined if the path or the content is no text. */
export function changeOfNewFile(path: unknown, content: unknown): FileChange | undefined {
  if (!isString(path) || !isString(content)) return undefined
  return changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(content))
}

/** A text and the one in its place. */
interface Replacement {
  readonly before: string
  readonly after: string
}

/**
 * Returns the change of a file in which texts were replaced. Nothing says where they are, so the lines count from the
 * first one of each text.
 */
export function changeOfReplacements(path: string, replacements: readonly Replacement[]): FileChange {
  const hunks = replacements.flatMap(({ before, after }) => hunksBetween(before, after))
  return changeOfHunks({ path, kind: 'edit' }, hunks)
}

const BLOCK = /^<{5,9} SEARCH[^\n]*\n([\s\S]*?)^={5,9}[ \t]*\n([\s\S]*?)^>{5,9} REPLACE/gm

/** Returns the replacements in a text: `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE` around the two texts. */
export function replacementsIn(text: string): readonly Replacement[] {
  return Array.from(text.matchAll(BLOCK), ([, before = '', after = '']) => ({ before, after }))
}
