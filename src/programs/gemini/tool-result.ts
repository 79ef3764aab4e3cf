import { asArray, asFiniteNumber, asObject, asString, isString, parseJson } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { changeOfHunks, countLines, hunksBetween, hunksIn, hunksOfNewFile, linesOf } from '../diff.ts'
import type { AnsweredCall, ProgramReader } from '../reader.ts'

/**
 * Returns the changes to files that a successful call has made. Files have the program's diff (`resultDisplay`). A
 * stream has the call's input alone: it gives numbers of lines, and does not say whether a written file is a new one.
 */
export function fileChangesOf({ call, record }: AnsweredCall): readonly FileChange[] | undefined {
  const { toolName } = call
  const input = asObject(call.input)
  const path = asString(record.filePath) ?? asString(input.file_path)
  if (path === undefined || (toolName !== 'write_file' && toolName !== 'replace')) return undefined
  const hunks = hunksIn(asString(record.fileDiff) ?? '')
  const before = asString(record.originalContent)
  const isNew =
    record.isNewFile ?? (before === undefined ? isNewByInput(toolName, input.old_string) : !before)
  const kind = isNew === true ? 'add' : 'edit'
  if (hunks.length > 0) return [changeOfHunks({ path, kind }, hunks)]
  const { model_added_lines: added, model_removed_lines: removed } = asObject(record.diffStat)
  if (asFiniteNumber(added) !== undefined)
    return [{ path, kind, added: Number(added), removed: asFiniteNumber(removed) ?? 0 }]
  if (toolName === 'replace') {
    const lines = hunksBetween(asString(input.old_string) ?? '', asString(input.new_string) ?? '')
    return [{ path, kind, ...countLines(lines) }]
  }
  const content = asString(input.content) ?? ''
  return isNew === true
    ? [changeOfHunks({ path, kind }, hunksOfNewFile(content))]
    : [{ path, kind, added: linesOf(content).length, removed: 0 }]
}

function isNewByInput(toolName: string, oldText: unknown): boolean {
  return toolName === 'write_file' || oldText === ''
}

/** Returns the exit code in the result of a command. Newer versions write one only for a command that failed. */
export function exitCodeIn(toolName: string, output: unknown): number | undefined {
  if (toolName !== 'run_shell_command' || !isString(output)) return undefined
  const code = output.match(/^Exit Code: (-?\d+)$/gm)?.at(-1)
  return code === undefined ? undefined : Number(code.slice('Exit Code: '.length))
}

/** Returns the list that a call of `write_todos` writes. A blocked todo waits. */
export function todosIn(input: unknown): readonly Todo[] {
  return asArray(asObject(input).todos).flatMap((entry) => {
    const { description, status } = asObject(entry)
    const text = asString(description)
    return text === undefined ? [] : [{ text, status: isTodoStatus(status) ? status : 'pending' }]
  })
}

/** The end of an agent, as the result of its call reports it. */
interface AgentEnd {
  readonly isError: boolean
  readonly report: string
}

/** Reads the result of a call that started an agent. The call of an agent that failed succeeds. */
export function agentEndIn(output: unknown, record: unknown): AgentEnd {
  const { state, terminateReason } = asObject(record)
  const text = asString(output) ?? ''
  const [, reason = terminateReason] = /^Termination Reason:\s+(\w+)$/m.exec(text) ?? []
  const hasFailed = /^Subagent '.*' failed\. Error:/.test(text) || state === 'error' || state === 'cancelled'
  const isOver = reason === undefined || reason === 'GOAL'
  const [, report = text] = /^Result:\n([\s\S]*)$/m.exec(text) ?? []
  return { isError: hasFailed || !isOver, report: reportIn(report) }
}

/** Returns the words of a report. A report of one text is JSON with one field, or one entry of a list for the screen. */
export function reportIn(text: string): string {
  const values = Object.values(asObject(parseJson(text)))
  const [only] = values
  if (values.length === 1 && isString(only)) return only
  const [first, ...others] = text.split(/^- \*\*[^*\n]+\*\*: /m).slice(1)
  return first === undefined || others.length > 0 ? text : first.trimEnd()
}

/** Returns the prompt for an agent without the words around it. */
export function agentPromptIn(text: string): string {
  if (!text.startsWith('Your task is to do a deep investigation')) return text
  return /<objective>\s*([\s\S]*?)\s*<\/objective>/.exec(text)?.[1] ?? text
}

/** Reads Gemini CLI for a protocol. */
export const geminiReader: ProgramReader = {
  // The id of a call begins with the name of its tool.
  toolName: ({ toolUseId = '' }) => /^(.+?)__/.exec(toolUseId)?.[1],
  // The title of a call that starts an agent has the agent's name. Its prompt and its report are not there.
  input: ({ title = '', toolUseId = '' }) => {
    const name = toolUseId.startsWith('invoke_agent__') && /^Delegating to agent '(.*)'$/.exec(title)?.[1]
    return name ? { agent_name: name } : undefined
  },
  agentResult({ output }) {
    const { isError, report } = agentEndIn(asString(output), undefined)
    return { isError, report: report || undefined }
  },
  // A thought without a heading has the marks of one.
  wholeThought: (chunk) => chunk.replace(/^\*{4}\n/, ''),
  warning: (text) => (/^\[MODE_UPDATE\] \w+$/.test(text) ? text : undefined),
}
