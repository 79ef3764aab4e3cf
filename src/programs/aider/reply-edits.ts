import type { FileChange } from '../../core/state/file-change.ts'
import { changeOfNewFile, changeOfReplacements, replacementsIn } from '../diff/hunks.ts'
import { changesOfPatch } from '../diff/patch.ts'

/** A block of code, with the line before it: the path of a file. */
const FENCED = /(?:^|\n)([^\n`]+)\n(`{3,})[^\n]*\n([\s\S]*?)\n?\2(?=\n|$)/g

/**
 * Returns the changes to a file that a reply writes: replacements, a diff, or the whole file. A replacement of nothing
 * makes a file, or adds to one: no line says which.
 */
export function changesInReply(path: string, reply: string): readonly FileChange[] | undefined {
  const own = Array.from(reply.matchAll(FENCED)).filter(([, name = '']) => isName(name, path))
  const replacements = own.flatMap(([, , , code = '']) => replacementsIn(`${code}\n`))
  if (replacements.length > 0) return [changeOfReplacements(path, replacements)]
  const whole = own.at(-1)?.[3]
  if (whole !== undefined) {
    const change = changeOfNewFile(path, `${whole}\n`)
    return change && [change]
  }
  const patched = changesOfPatch(reply).filter((change) => change.path === path)
  return patched.length > 0 ? patched : undefined
}

/** Models write a path in their own ways: with stars, as code, or with a colon behind it. */
function isName(name: string, path: string): boolean {
  return name.replace(/^[*#\s]+|[*:\s]+$/g, '') === path
}
