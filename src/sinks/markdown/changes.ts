import type { FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { hunksText } from '../../programs/diff/patch.ts'
import type { SessionText } from './text/session-text.ts'

/** What a change of that kind did to the file. */
export const VERBS: Readonly<Record<FileChangeKind, string>> = {
  add: 'added',
  edit: 'edited',
  delete: 'deleted',
  move: 'moved',
}

/** Returns one line for a change to a file, and its diff if the lines are known. */
export function changePieces(text: SessionText, change: FileChange): readonly string[] {
  const from = change.from === undefined ? '' : ` from ${text.code(change.from, 300)}`
  const line = `${text.code(change.path, 300)} ${VERBS[change.kind]}${from} (${countsOf(change)})`
  return change.hunks?.length ? [line, text.block(hunksText(change.hunks), 'diff')] : [line]
}

/** Returns the lines of a change as `+3 −1`. */
export function countsOf({ added, removed }: Pick<FileChange, 'added' | 'removed'>): string {
  return `+${added} −${removed}`
}
