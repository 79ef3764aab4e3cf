import type { FieldsOf } from '../json/shape.ts'

/** The kind of a change to a file. */
export type FileChangeKind = 'add' | 'edit' | 'delete' | 'move'

/** Neighbouring lines of a change, as a unified diff shows them. */
export interface DiffHunk {
  /** The first line in the old file, from 1. A hunk without old lines names the line before it. */
  readonly oldStart: number
  /** The number of lines in the old file. */
  readonly oldLines: number
  /** The first line in the new file, from 1. */
  readonly newStart: number
  /** The number of lines in the new file. */
  readonly newLines: number
  /** Each line begins with its mark: a space, `-`, `+` or a backslash. */
  readonly lines: readonly string[]
}

/** A change to one file, as the program reports it. */
export interface FileChange {
  readonly path: string
  readonly kind: FileChangeKind
  /** The number of new lines. */
  readonly added: number
  /** The number of lines that are gone. */
  readonly removed: number
  /** The path before a move. */
  readonly from?: string
  /** Absent if the program does not say which lines changed. */
  readonly hunks?: readonly DiffHunk[]
}

/** Returns the numbers of new lines and of lines that are gone, over all changes. */
export function sumChanges(
  changes: readonly Pick<FileChange, 'added' | 'removed'>[],
): Pick<FileChange, 'added' | 'removed'> {
  let [added, removed] = [0, 0]
  for (const change of changes) {
    added += change.added
    removed += change.removed
  }
  return { added, removed }
}

/** The shape of a change to a file. */
export const FILE_CHANGE: FieldsOf<FileChange> = {
  path: 'string',
  kind: { oneOf: { add: true, edit: true, delete: true, move: true } },
  added: 'finite number',
  removed: 'finite number',
  'from?': 'string',
  'hunks?': {
    listOf: {
      fields: {
        oldStart: 'finite number',
        oldLines: 'finite number',
        newStart: 'finite number',
        newLines: 'finite number',
        lines: { listOf: 'string' },
      },
    },
  },
}

const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:)/

/** Returns the absolute path of a file. A relative one is in that folder; without a folder it stays as it is. */
export function absolutePath(path: string, folder: string | undefined): string {
  if (!folder || ABSOLUTE.test(path)) return path
  const base = withoutEnd(folder)
  const name = path.replace(/^\.[/\\]/, '')
  return folder.includes('\\') ? `${base}\\${name.replaceAll('/', '\\')}` : `${base}/${name}`
}

/** Returns the path as people read it: relative, if it is in that folder. */
export function relativePath(path: string, folder: string | undefined): string {
  const base = withoutEnd(folder ?? '')
  const rest = folder && path.startsWith(base) ? path.slice(base.length) : ''
  return /^[/\\]./.test(rest) ? rest.slice(1) : path
}

/** Returns the path with slashes in place of backslashes. */
export function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

function withoutEnd(folder: string): string {
  return folder.replace(/(?<![/\\])[/\\]+$/, '')
}
