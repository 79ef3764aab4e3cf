import { omitUndefined } from '../../core/json/fields.ts'
import { absolutePath, type DiffHunk, type FileChange } from '../../core/state/file-change.ts'
import { linesOf } from '../diff/hunks.ts'
import { changedPaths, fileChangeOf, inOrder, kindOf, type PatchedFile } from './file-change.ts'

/** A file in the text of a patch, with its lines. They have marks, and no line numbers. */
interface PatchSection {
  readonly file: PatchedFile
  readonly lines: readonly string[]
}

const HEAD = /^\*\*\* (Add|Delete|Update) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** Reads the text of an `apply_patch` call. Its paths may be relative to the working folder. */
export function readPatchText(text: string, cwd: string | undefined): readonly PatchSection[] {
  const sections: { file: PatchedFile; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const [, kind, path] = HEAD.exec(line) ?? []
    const movedTo = MOVE.exec(line)?.[1]
    const last = sections.at(-1)
    if (path !== undefined)
      sections.push({
        file: { path: absolutePath(path.trim(), cwd), kind: kindOf(kind?.toLowerCase()) },
        lines: [],
      })
    else if (last && movedTo !== undefined)
      last.file = { ...last.file, movedTo: absolutePath(movedTo.trim(), cwd) }
    else if (last && /^[-+ ]/.test(line)) last.lines.push(line)
  }
  return sections
}

/** Returns the input of the call as other forms report it. */
export function patchInput(sections: readonly PatchSection[]): unknown {
  return { changes: changedPaths(inOrder(sections.map(({ file }) => file))) }
}

/** Returns the changes of a patch that was applied. Only those of added files have line numbers. */
export function patchChanges(sections: readonly PatchSection[]): readonly FileChange[] {
  const byPath = new Map(sections.map((section) => [section.file, section.lines]))
  return inOrder([...byPath.keys()]).map((file) => changeOf(file, byPath.get(file) ?? []))
}

function changeOf(file: PatchedFile, lines: readonly string[]): FileChange {
  if (file.kind === 'add')
    return fileChangeOf({ ...file, text: lines.map((line) => `${line.slice(1)}\n`).join('') })
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const { hunks, ...change } = fileChangeOf(file)
  return omitUndefined({ ...change, added: count('+'), removed: count('-') })
}

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
