import type { StructuredPatch, StructuredPatchHunk } from 'diff'
import { parsePatch } from 'diff/lib/patch/parse.js'
import { omitUndefined } from '../../core/json/fields.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks, hunksOfNewFile, linesOf } from './hunks.ts'

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
export function patchText({ path, kind, hunks }: FileChange): string | undefined {
  if (!hunks) return undefined
  const [before, after] = [kind === 'add' ? NO_FILE : path, kind === 'delete' ? NO_FILE : path]
  return `--- ${before}\n+++ ${after}\n${hunksText(hunks)}\n`
}

/** The name that stands for no file. */
const NO_FILE = '/dev/null'

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
