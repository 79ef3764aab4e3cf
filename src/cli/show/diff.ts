import { greatest } from '../../core/json/lists.ts'
import { type DiffHunk, type FileChange, relativePath } from '../../core/state/file-change.ts'
import { countsText } from '../../sinks/markdown/text/values.ts'
import { VERBS } from '../../sinks/markdown/tool-call.ts'
import { hang, wrapColumns } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** The lines of a diff that a view shows, unless it shows all. */
const DIFF_LINES = 30

/** Returns a change to a file: one line about it unless `isNamed`, and its diff. */
export function changeLines(
  { text, paint, isFull, cwd }: View,
  change: FileChange,
  {
    width,
    isNamed,
    hasDiff = true,
  }: { readonly width: number; readonly isNamed: boolean; readonly hasDiff?: boolean },
): readonly string[] {
  const { path, from, kind, hunks = [] } = change
  const origin = from === undefined ? '' : ` from ${text.short(from, 300)}`
  const line = `${VERBS[kind]} ${text.short(relativePath(path, cwd), 300)}${origin} ${countsText(change)}`
  const head = isNamed && origin === '' ? [] : wrapColumns(line, width)
  if (!hasDiff) return head
  const diff = hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [{ number: '', line: ' ⋯' }]),
    ...numbered(hunk),
  ])
  const limit = isFull ? diff.length : DIFF_LINES
  const columns = greatest(diff.map(({ number }) => number.length))
  const shown = diff.slice(0, limit).flatMap(({ number, line: words }) => {
    const mark = `${paint(number.padStart(columns), 'dim')} `
    const rows = wrapColumns(text.redacted(words), Math.max(8, width - columns - 1))
    return hang(
      mark,
      rows.map((row) => diffRow(row, words, paint)),
    )
  })
  const rest = diff.length - limit
  return [...head, ...shown, ...(rest > 0 ? [paint(`… ${rest} more lines of the diff`, 'dim')] : [])]
}

/** Returns the lines of a hunk, each with its number in the new file. A line that is gone has the number of the old file. */
function numbered({
  oldStart,
  newStart,
  lines,
}: DiffHunk): readonly { readonly number: string; readonly line: string }[] {
  let [old, next] = [oldStart, newStart]
  return lines.map((line) => {
    if (line.startsWith('-')) return { number: String(old++), line }
    if (line.startsWith('\\')) return { number: '', line }
    if (!line.startsWith('+')) old += 1
    return { number: String(next++), line }
  })
}

function diffRow(row: string, line: string, paint: View['paint']): string {
  if (line.startsWith('+')) return paint(row, 'green')
  if (line.startsWith('-')) return paint(row, 'red')
  return paint(row, 'dim')
}
