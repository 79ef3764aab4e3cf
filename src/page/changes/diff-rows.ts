import type { DiffHunk } from '../../core/state/file-change.ts'

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
  const [left, right] = [removed.map(withoutSpace), added.map(withoutSpace)]
  if (left.length * right.length > MOST_COMPARED) return [...removed, ...added]
  // The lengths of the longest common parts from each place to the end.
  const common = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0
  for (let row = left.length - 1; row >= 0; row -= 1)
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const cells = common[row]
      if (!cells) continue
      cells[column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  const result: string[] = []
  let [row, column] = [0, 0]
  while (row < left.length || column < right.length) {
    const hasBoth = row < left.length && column < right.length
    if (hasBoth && left[row] === right[column]) {
      result.push(` ${added[column]?.slice(1)}`)
      row += 1
      column += 1
    } else if (column >= right.length || (hasBoth && at(row + 1, column) >= at(row, column + 1))) {
      result.push(removed[row] ?? '')
      row += 1
    } else {
      result.push(added[column] ?? '')
      column += 1
    }
  }
  return result
}

function withoutSpace(line: string): string {
  return line.slice(1).replace(/\s+/g, '')
}
