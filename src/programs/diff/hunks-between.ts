import { diffArrays } from 'diff/lib/diff/array.js'
import type { DiffHunk } from '../../core/state/file-change.ts'
import { linesOf } from './hunks.ts'

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
