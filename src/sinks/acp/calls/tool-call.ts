import { relativePath } from '../../../json/absolute-path.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isObject } from '../../../json/values.ts'
import { mcpTool } from '../../../programs/tool-kind.ts'
import { partialInput } from '../../../selectors/partial-input.ts'
import type { BlockOf } from '../../../state/block.ts'
import { subjectField, subjectText } from '../../markdown/tool-input.ts'
import { outputContent } from '../content.ts'
import type { AcpToolKind, ToolCallContent, ToolCallStart, ToolCallStatus } from '../messages.ts'
import { diffsOf } from './diff.ts'
import { locationsOf } from './location.ts'
import { acpToolKind } from './tool-kind.ts'

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
  const field = isObject(input) ? subjectField(input) : undefined
  const subject = field !== undefined && isObject(input) ? subjectText(input, field) : ''
  const [line = ''] = subject.trim().split('\n', 1)
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
