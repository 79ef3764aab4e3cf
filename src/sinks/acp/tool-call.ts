import { omitUndefined } from '../../core/json/fields.ts'
import { asString, isObject } from '../../core/json/values.ts'
import { callSubject, partialInput } from '../../core/selectors/call-input.ts'
import type { BlockOf } from '../../core/state/block.ts'
import { absolutePath, type DiffHunk, type FileChange, relativePath } from '../../core/state/file-change.ts'
import { mcpTool, toolKind } from '../../programs/tool-kind.ts'
import { outputContent } from './content.ts'
import type {
  AcpToolKind,
  ToolCallContent,
  ToolCallDiff,
  ToolCallLocation,
  ToolCallStart,
  ToolCallStatus,
} from './messages.ts'

type Call = BlockOf<'tool_use'>
type Result = BlockOf<'tool_result'>

/** The facts about a session that its calls need. */
export interface CallFacts {
  /** The working folder of the session. */
  readonly cwd: string | undefined
  /** Whether a request about the call waits for the person. */
  readonly isWaiting: (toolUseId: string) => boolean
}

/** Returns a call with its results as one update. */
export function toolCall(call: Call, results: readonly Result[], facts: CallFacts): ToolCallStart {
  const changes = results.flatMap((result) => result.changes ?? [])
  const kind = acpToolKind(call.toolName, changes)
  const input = partialInput(call) ?? call.inputText
  const locations = locationsOf({ kind, input, changes }, facts.cwd)
  return omitUndefined({
    sessionUpdate: 'tool_call',
    toolCallId: call.toolUseId,
    title: titleOf(call.toolName, { kind, input, cwd: facts.cwd }),
    name: call.toolName,
    kind,
    status: statusOf(call, results, facts),
    rawInput: input,
    locations: locations.length === 0 ? undefined : locations,
    ...outputOf(results, kind, facts),
  })
}

/** Returns the update of a result whose call is not known. */
export function unknownCall(result: Result, facts: CallFacts): ToolCallStart {
  const { changes = [] } = result
  const kind = changes.length > 0 ? 'edit' : 'other'
  const locations = locationsOf({ kind, input: undefined, changes }, facts.cwd)
  return omitUndefined({
    sessionUpdate: 'tool_call',
    toolCallId: result.toolUseId,
    title: 'Result of an unknown call',
    kind,
    status: result.isError ? 'failed' : 'completed',
    locations: locations.length === 0 ? undefined : locations,
    ...outputOf([result], kind, facts),
  })
}

const MAX_TITLE = 200

/** Returns the command of a call, or else the names of the tool and its subject. The title is one line. */
function titleOf(
  toolName: string,
  {
    kind,
    input,
    cwd,
  }: { readonly kind: AcpToolKind; readonly input: unknown; readonly cwd: string | undefined },
): string {
  const mcp = mcpTool(toolName)
  const name = mcp ? `${mcp.server}: ${mcp.tool}` : toolName
  const [line = ''] = (isObject(input) ? callSubject(input) : '').trim().split('\n', 1)
  const title = kind === 'execute' && line !== '' ? line : `${name} ${relativePath(line, cwd)}`.trim()
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title
}

function statusOf(call: Call, results: readonly Result[], { isWaiting }: CallFacts): ToolCallStatus {
  const finished = results.filter(({ status }) => status !== 'pending')
  if (call.status === 'error' || finished.some(({ isError }) => isError)) return 'failed'
  if (call.status === 'complete' || finished.length > 0) return 'completed'
  return call.inputText !== undefined || isWaiting(call.toolUseId) ? 'pending' : 'in_progress'
}

/** Diffs replace the output of a call that succeeded, because it only says that the files have changed. */
function outputOf(
  results: readonly Result[],
  kind: AcpToolKind,
  { cwd }: CallFacts,
): { content?: ToolCallContent[]; rawOutput?: unknown } {
  const last = results.at(-1)
  if (!last) return {}
  const diffs = diffsOf(
    results.flatMap((result) => result.changes ?? []),
    cwd,
  )
  const language = kind === 'execute' ? 'console' : ''
  const texts = results
    .flatMap(({ output }) => outputContent(output, language))
    .map((content) => ({ type: 'content' as const, content }))
  const content = diffs.length > 0 && !last.isError ? diffs : [...texts, ...diffs]
  return omitUndefined({ content: content.length === 0 ? undefined : content, rawOutput: last.output })
}

const KINDS: Readonly<Record<ReturnType<typeof toolKind>, AcpToolKind>> = {
  command: 'execute',
  read: 'read',
  edit: 'edit',
  search: 'search',
  web: 'fetch',
  mcp: 'other',
  agent: 'other',
  plan: 'think',
  other: 'other',
}

/** Returns ACP's kind of a tool call. A tool that changed files is of the kind of its changes. */
function acpToolKind(toolName: string, changes: readonly FileChange[]): AcpToolKind {
  const kind = toolKind(toolName)
  if (kind === 'plan' && /plan_?(mode|enter|exit)/i.test(toolName)) return 'switch_mode'
  if (kind !== 'edit' && kind !== 'other') return KINDS[kind]
  for (const only of ['delete', 'move'] as const)
    if (changes.length > 0 && changes.every((change) => change.kind === only)) return only
  return changes.length > 0 ? 'edit' : KINDS[kind]
}

/** The names of the fields that hold the path of a call's file. */
const PATH_FIELDS = ['file_path', 'filePath', 'notebook_path', 'path']

/**
 * Returns the files that a call changed with their first changed lines, or else the file that its input names. ACP
 * requires absolute paths.
 */
function locationsOf(
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

/** Returns one diff for each hunk of the changes. A change without hunks has none. */
function diffsOf(changes: readonly FileChange[], cwd: string | undefined): ToolCallDiff[] {
  return changes.flatMap(({ path, kind, hunks = [] }) =>
    hunks.map((hunk) => ({
      type: 'diff' as const,
      path: absolutePath(path, cwd),
      oldText: kind === 'add' ? null : textOf(hunk, '-', kind === 'delete'),
      newText: textOf(hunk, '+', kind === 'add'),
      _meta: { kind: kind === 'edit' ? 'update' : kind },
    })),
  )
}

/** Returns the old or the new lines of a hunk. A whole file ends with a line break, unless the hunk says that it does not. */
function textOf({ lines }: DiffHunk, mark: '-' | '+', isWholeFile: boolean): string {
  const own = lines.filter((line) => line.startsWith(mark) || line.startsWith(' '))
  const text = own.map((line) => line.slice(1)).join('\n')
  const ends = isWholeFile && own.length > 0 && !lines.at(-1)?.startsWith('\\')
  return ends ? `${text}\n` : text
}
