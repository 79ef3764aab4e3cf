import type { FileChange } from 'agentfold'
import { structuredPatch } from 'diff'

/** Longer texts take too long to compare. In UTF-16 units. */
const LONGEST = 100_000

/** The time grows with the square of the changed lines. */
const MAX_EDITS = 200

/** The change that an edit asks for, and the fields of its input that the change shows. */
export interface RequestedEdit {
  readonly change: FileChange
  readonly fields: ReadonlySet<string>
}

/** Returns the change from the old and the new text of an input; undefined if the input has none. */
export function editInInput(input: unknown): RequestedEdit | undefined {
  const values = new Map(Object.entries(Object(input)))
  const fieldOf = (...names: readonly string[]): readonly [string, string] | undefined =>
    names.flatMap((name): [string, string][] => {
      const value = values.get(name)
      return typeof value === 'string' ? [[name, value]] : []
    })[0]
  const path = fieldOf('file_path', 'filePath', 'path')
  const before = fieldOf('old_string', 'oldString')
  const after = fieldOf('new_string', 'newString', 'content')
  if (!path || !after) return undefined
  const change = changeOf(path[1], before?.[1], after[1])
  return change && { change, fields: new Set([path, before, after].flatMap((field) => field?.[0] ?? [])) }
}

function changeOf(path: string, before: string | undefined, after: string): FileChange | undefined {
  if (after.length + (before?.length ?? 0) > LONGEST) return undefined
  const { hunks } =
    structuredPatch(path, path, before ?? '', after, '', '', { context: 3, maxEditLength: MAX_EDITS }) ?? {}
  if (!hunks) return undefined
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return {
    path,
    kind: before === undefined ? 'add' : 'edit',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    hunks,
  }
}
