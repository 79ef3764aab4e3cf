import { omitUndefined } from '../../core/json/fields.ts'
import type { DiffHunk, FileChange } from '../../core/state/file-change.ts'

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
