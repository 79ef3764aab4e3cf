import { absolutePath } from '../../../json/absolute-path.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { fileChange, kindOf } from '../../../programs/opencode/file-change.ts'
import type { FileChange } from '../../../state/file-change.ts'

/**
 * Reads the sum of a turn's changes, which a user message has. Returns undefined if the message has no sum. The paths are relative to the
 * worktree, as OpenCode writes them here.
 */
export function turnChanges({ summary }: JsonObject): readonly FileChange[] | undefined {
  const { diffs } = asObject(summary)
  if (!Array.isArray(diffs)) return undefined
  return asArray(diffs)
    .map(asObject)
    .flatMap((diff) => {
      const { patch, additions, deletions } = diff
      const path = asString(diff.file)
      return path === undefined ? [] : [fileChange({ path, kind: kindOf(diff), patch, additions, deletions })]
    })
}

/** Returns the changes with absolute paths, as the results of calls have them. */
export function placeChanges(changes: readonly FileChange[], worktree: string): readonly FileChange[] {
  return changes.map((change) => ({ ...change, path: absolutePath(change.path, worktree) }))
}

/** Returns the worktree that leads from relative paths to known absolute ones of the same files, or undefined if no file is the same. */
export function worktreeBetween(
  relative: readonly FileChange[],
  absolute: readonly FileChange[],
): string | undefined {
  for (const { path } of relative) {
    const ending = `/${path}`
    const known = absolute.find((change) => change.path.endsWith(ending))
    if (known) return known.path.slice(0, -ending.length) || '/'
  }
  return undefined
}
