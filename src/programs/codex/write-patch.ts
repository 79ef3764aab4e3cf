import type { DiffHunk, FileChange } from '../../core/state/file-change.ts'
import { linesOf } from '../diff/hunks.ts'

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
