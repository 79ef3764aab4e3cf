import type { DiffHunk } from '../../core/state/file-change.ts'
import { alignLists } from './align-lists.ts'

/** A line with its numbers in the old and in the new file. */
export interface DiffRow {
  readonly type: 'head' | 'same' | 'added' | 'removed'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

/** A line of the old file beside one of the new file. A head stands over both. */
export interface PairedRow {
  readonly left: DiffRow | undefined
  readonly right: DiffRow | undefined
}

/** Returns the lines of hunks. Without changes of whitespace, a line of which nothing else changed is an unchanged one. */
export function diffRows(hunks: readonly DiffHunk[], ignoresSpace: boolean): readonly DiffRow[] {
  return hunks.flatMap((hunk) => {
    const lines = ignoresSpace ? withoutSpaceChanges(hunk.lines) : hunk.lines
    if (lines.every((line) => line.startsWith(' '))) return []
    const { oldStart, oldLines, newStart, newLines } = hunk
    let [before, after] = [oldStart, newStart]
    const rows = lines.flatMap((line): readonly DiffRow[] => {
      const text = line.slice(1)
      if (line.startsWith('+')) return [{ type: 'added', text, after: after++ }]
      if (line.startsWith('-')) return [{ type: 'removed', text, before: before++ }]
      return line.startsWith(' ') ? [{ type: 'same', text, before: before++, after: after++ }] : []
    })
    return [{ type: 'head', text: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` }, ...rows]
  })
}

/** Returns the rows with the removed lines beside the new ones. */
export function pairedRows(rows: readonly DiffRow[]): readonly PairedRow[] {
  const paired: PairedRow[] = []
  let removed: DiffRow[] = []
  let added: DiffRow[] = []
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      paired.push({ left: removed[at], right: added[at] })
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.type === 'removed') {
      // A removal after new lines begins another change.
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.type === 'added') added.push(row)
    else {
      flush()
      paired.push({ left: row, right: row })
    }
  }
  flush()
  return paired
}

function withoutSpaceChanges(lines: readonly string[]): readonly string[] {
  const result: string[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = (): void => {
    result.push(...alignedLines(removed, added))
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.startsWith('-')) removed.push(line)
    else if (line.startsWith('+')) added.push(line)
    else {
      flush()
      result.push(line)
    }
  }
  flush()
  return result
}

/** Larger changes are compared line by line in their order. */
const MOST_COMPARED = 40_000

/** Returns the lines of a change, in which a pair that differs in whitespace alone is one unchanged line, as it is in the new file. */
function alignedLines(removed: readonly string[], added: readonly string[]): readonly string[] {
  if (removed.length * added.length > MOST_COMPARED) return [...removed, ...added]
  return alignLists(removed, added, withoutSpace).map(({ left, right = '' }) => {
    if (left === undefined) return right
    return right === '' ? left : ` ${right.slice(1)}`
  })
}

function withoutSpace(line: string): string {
  return line.slice(1).replace(/\s+/g, '')
}
