import { omitUndefined } from '../../core/json/fields.ts'
import type { FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks, hunksOfNewFile, linesOf } from './hunks.ts'

const KINDS: Readonly<Record<string, FileChangeKind>> = { Add: 'add', Update: 'edit', Delete: 'delete' }

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** Returns the changes that a call of `apply_patch` has made: `*** Add File: <path>` and lines with marks. It does not say at which lines of a file, nor what a deleted one had. */
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
