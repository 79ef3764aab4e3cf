import { absolutePath } from '../../../json/absolute-path.ts'
import type { DiffHunk, FileChange } from '../../../state/file-change.ts'
import type { ToolCallDiff } from '../messages.ts'

/** Returns one diff for each hunk of the changes. A change without hunks has none. */
export function diffsOf(changes: readonly FileChange[], cwd: string | undefined): ToolCallDiff[] {
  return changes.flatMap(({ path, kind, hunks = [] }) =>
    hunks.map((hunk) => ({
      type: 'diff' as const,
      path: absolutePath(path, cwd),
      oldText: kind === 'add' ? null : textOf(hunk, '-', kind === 'delete'),
      newText: textOf(hunk, '+', kind === 'add'),
      _meta: { kind: kind === 'edit' ? 'update' : kind },
    })),
  )
}

/** Returns the old or the new lines of a hunk. A whole file ends with a line break, unless the hunk says that it does not. */
function textOf({ lines }: DiffHunk, mark: '-' | '+', isWholeFile: boolean): string {
  const own = lines.filter((line) => line.startsWith(mark) || line.startsWith(' '))
  const text = own.map((line) => line.slice(1)).join('\n')
  const ends = isWholeFile && own.length > 0 && !lines.at(-1)?.startsWith('\\')
  return ends ? `${text}\n` : text
}
