import { absolutePath } from '../../../json/absolute-path.ts'
import { asString, isObject } from '../../../json/values.ts'
import type { FileChange } from '../../../state/file-change.ts'
import type { AcpToolKind, ToolCallLocation } from '../messages.ts'

/** The names of the fields that hold the path of a call's file. */
const PATH_FIELDS = ['file_path', 'filePath', 'notebook_path', 'path']

/** Returns the files that a call changed with their first changed lines, or else the file that its input names. ACP requires absolute paths. */
export function locationsOf(
  call: { readonly kind: AcpToolKind; readonly input: unknown; readonly changes: readonly FileChange[] },
  cwd: string | undefined,
): ToolCallLocation[] {
  if (call.changes.length > 0)
    return call.changes.map(({ path, hunks }) => at(absolutePath(path, cwd), hunks?.[0]?.newStart))
  if (!isObject(call.input) || (call.kind !== 'read' && call.kind !== 'edit')) return []
  const { input } = call
  const path = PATH_FIELDS.map((field) => asString(input[field])).find((each) => each !== undefined)
  return path === undefined ? [] : [at(absolutePath(path, cwd), input.offset)]
}

/** ACP counts lines from 1, and takes whole numbers of 32 bits alone. */
function at(path: string, line: unknown): ToolCallLocation {
  const isLine = typeof line === 'number' && Number.isInteger(line) && line > 0 && line < 2 ** 32
  return isLine ? { path, line } : { path }
}
