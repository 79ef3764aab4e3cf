import type { FileChange } from 'agentfold'
import { structuredPatch } from 'diff'

/** Longer texts take too long to compare. In UTF-16 units. */
const LONGEST = 100_000

/** The time grows with the square of the changed lines. */
const MAX_EDITS = 200

/** Returns the change that an edit asks for, from its old and new text; undefined if the input has none. */
export function editInInput(input: unknown): FileChange | undefined {
  const fields = new Map(Object.entries(Object(input)))
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields.get(name)).find((value) => typeof value === 'string')
  const path = text('file_path', 'filePath', 'path')
  const [before, after] = [text('old_string', 'oldString'), text('new_string', 'newString', 'content')]
  if (path === undefined || after === undefined || after.length + (before?.length ?? 0) > LONGEST)
    return undefined
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
