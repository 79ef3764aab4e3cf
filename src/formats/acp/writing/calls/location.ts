import { asString, isObject } from '../../../../json/values.ts'
import type { FileChange } from '../../../../state/file-change.ts'
import type { AcpToolKind, ToolCallLocation } from '../messages.ts'

/** The names of the fields that hold the path of a call's file. */
const PATH_FIELDS = ['file_path', 'filePath', 'notebook_path', 'path']

const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:)/

/** The paths of a session. */
export interface SessionPaths {
  /** Returns the absolute path, as ACP requires. Without a working folder, a relative path stays as it is. */
  absolute(path: string): string
  /** Returns the path as people read it: relative, if it is in the working folder. */
  relative(path: string): string
}

/** Returns the paths of a session by its working folder. */
export function sessionPaths(cwd = ''): SessionPaths {
  if (cwd === '') return { absolute: (path) => path, relative: (path) => path }
  const folder = `${cwd.replace(/(?<![/\\])[/\\]+$/, '')}/`
  return {
    absolute: (path) => (ABSOLUTE.test(path) ? path : folder + path.replace(/^\.\//, '')),
    relative: (path) => (path.startsWith(folder) ? path.slice(folder.length) : path),
  }
}

/** Returns the files that a call changed with their first changed lines, or else the file that its input names. */
export function locationsOf(
  call: { readonly kind: AcpToolKind; readonly input: unknown; readonly changes: readonly FileChange[] },
  { absolute }: SessionPaths,
): ToolCallLocation[] {
  if (call.changes.length > 0)
    return call.changes.map(({ path, hunks }) => at(absolute(path), hunks?.[0]?.newStart))
  if (!isObject(call.input) || (call.kind !== 'read' && call.kind !== 'edit')) return []
  const { input } = call
  const path = PATH_FIELDS.map((field) => asString(input[field])).find((each) => each !== undefined)
  return path === undefined ? [] : [at(absolute(path), input.offset)]
}

/** ACP counts lines from 1, and takes whole numbers of 32 bits alone. */
function at(path: string, line: unknown): ToolCallLocation {
  const isLine = typeof line === 'number' && Number.isInteger(line) && line > 0 && line < 2 ** 32
  return isLine ? { path, line } : { path }
}
