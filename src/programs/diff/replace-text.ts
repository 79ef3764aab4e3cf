import { isString } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { changeOfHunks, hunksOfNewFile } from './hunks.ts'
import { hunksBetween } from './hunks-between.ts'

/** Returns the change of a whole new file; undefined if the path or the content is no text. */
export function changeOfNewFile(path: unknown, content: unknown): FileChange | undefined {
  if (!isString(path) || !isString(content)) return undefined
  return changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(content))
}

/** A text and the one in its place. */
interface Replacement {
  readonly before: string
  readonly after: string
}

/**
 * Returns the change of a file in which texts were replaced. Nothing says where they are, so the lines count from the
 * first one of each text.
 */
export function changeOfReplacements(path: string, replacements: readonly Replacement[]): FileChange {
  const hunks = replacements.flatMap(({ before, after }) => hunksBetween(before, after))
  return changeOfHunks({ path, kind: 'edit' }, hunks)
}

const BLOCK = /^<{5,9} SEARCH[^\n]*\n([\s\S]*?)^={5,9}[ \t]*\n([\s\S]*?)^>{5,9} REPLACE/gm

/** Returns the replacements in a text: `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE` around the two texts. */
export function replacementsIn(text: string): readonly Replacement[] {
  return Array.from(text.matchAll(BLOCK), ([, before = '', after = '']) => ({ before, after }))
}
