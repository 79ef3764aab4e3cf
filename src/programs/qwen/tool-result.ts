import {
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { textInTag } from '../claude-code/framed-text.ts'
import { changeOfHunks, countLines, hunksBetween, hunksIn, hunksOfNewFile, linesOf } from '../diff.ts'
import { exitCodeIn as exitCodeInWords } from '../gemini/tool-result.ts'
import type { AgentEnd, AnsweredCall, ProgramReader } from '../reader.ts'
import { type TokenFields, tokensIn } from '../token-fields.ts'

/**
 * Returns the changes to files that a successful call has made. Files have the program's diff. A stream has the input
 * alone: it gives numbers of lines, and the words of the result say whether a written file is a new one.
 */
export function fileChangesOf({ call, record, output }: AnsweredCall): readonly FileChange[] | undefined {
  const { toolName } = call
  const input = asObject(call.input)
  const path = asString(record.filePath) ?? asString(input.file_path)
  if (path === undefined || !CHANGES.has(toolName)) return undefined
  const hunks = hunksIn(asString(record.fileDiff) ?? '')
  const before = asString(record.originalContent)
  const isNew = before === undefined ? isNewByWords(toolName, input, output) : before === ''
  const kind = isNew ? 'add' : 'edit'
  if (hunks.length > 0) return [changeOfHunks({ path, kind }, hunks)]
  if (toolName !== 'write_file') {
    const lines = hunksBetween(asString(input.old_string) ?? '', asString(input.new_string) ?? '')
    return [{ path, kind, ...countLines(lines) }]
  }
  const content = asString(input.content) ?? ''
  return isNew
    ? [changeOfHunks({ path, kind }, hunksOfNewFile(content))]
    : [{ path, kind, added: linesOf(content).length, removed: 0 }]
}

const CHANGES: ReadonlySet<string> = new Set(['write_file', 'edit', 'replace'])

function isNewByWords(toolName: string, input: JsonObject, output: unknown): boolean {
  if (toolName !== 'write_file') return input.old_string === ''
  return !(isString(output) && output.startsWith('Successfully overwrote'))
}

/** Returns the exit code of a command. A stream states it only with a result that is not the output alone. */
export function exitCodeIn(toolName: string, record: JsonObject, output: unknown): number | undefined {
  const stated = toolName === 'run_shell_command' ? asFiniteNumber(record.exitCode) : undefined
  return stated ?? exitCodeInWords(toolName, output)
}

/** Whether the output says that the person has refused the call. */
export function isRefusal(output: unknown): boolean {
  return isString(output) && /^\[Operation Cancelled\]|canceled by the user/.test(output)
}

/** Returns the own id of an agent that the result of a call reports as launched in the background. */
export function launchedIdIn(text: string): string | undefined {
  if (!/^Background agent .*launched/.test(text)) return undefined
  return /^task_id: (\S+)/m.exec(text)?.[1]
}

/** Reads the result of a call that started an agent. The call of an agent that failed succeeds. */
export function agentEndIn(text: string, record: JsonObject): { readonly isError: boolean } {
  const { status } = record
  return {
    isError:
      status === 'failed' ||
      status === 'cancelled' ||
      /^(?:Subagent execution failed|Failed to run subagent:)/.test(text),
  }
}

/** Returns the end of a background agent that a notification reports. */
export function notifiedEnd(text: string): (AgentEnd & { readonly durationMs?: number }) | undefined {
  if (!text.startsWith('<task-notification>')) return undefined
  const output = textInTag(text, 'result')
  const duration = Number(textInTag(text, 'duration_ms', { isLast: true }))
  const ids = { agentId: textInTag(text, 'task-id'), toolUseId: textInTag(text, 'tool-use-id') }
  const status = textInTag(text, 'status') === 'completed' ? 'completed' : 'error'
  return {
    ...ids,
    status,
    ...(output !== undefined && { output }),
    ...(duration > 0 && { durationMs: duration }),
  }
}

/** The output holds the tokens of the thinking. */
const TOKENS: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedReadTokens',
  reasoningTokens: 'thoughtTokens',
  holdsCached: true,
  omitsZeros: true,
}

/** Reads Qwen Code for a protocol. */
export const qwenReader: ProgramReader = {
  agentResult({ record, output }) {
    const text = asString(output) || asString(record.result) || ''
    const launchedId = launchedIdIn(text)
    if (launchedId !== undefined) return { agentId: launchedId, isLaunch: true }
    return { isError: agentEndIn(text, record).isError || undefined, report: text || undefined }
  },
  // The raw output is the tool's record for the screen.
  result: (record, shown) => ({
    output: isString(shown) && shown !== '' ? shown : undefined,
    exitCode: isCommand(record, shown) ? exitCodeIn('run_shell_command', record, shown) : undefined,
  }),
  fileChanges: fileChangesOf,
  messageOrigin: (text) => (text.startsWith('<task-notification>') ? 'notification' : undefined),
  notifiedEnd: (text) => notifiedEnd(text),
  tokensOf({ usage }) {
    if (!isObject(usage)) return undefined
    return tokensIn(usage, TOKENS)
  },
  ownMessage: ({ method }) => (/^(?:qwen|craft)\//.test(method) ? { type: 'ignored' } : undefined),
}

function isCommand({ type }: JsonObject, shown: unknown): boolean {
  return type === 'shell_result' || (isString(shown) && shown.startsWith('Command: '))
}
