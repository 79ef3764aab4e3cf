import { asArray, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import type { Todo } from '../../core/state/todo.ts'
import { changeOfNewFile, changeOfReplacements } from '../diff.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Kiro CLI. */
export const kiro: Program = {
  names: ['kiro', 'kiro-cli'],
  wire: 'kiro',
  tools: {
    command: ['shell', 'execute_bash', 'execute_cmd'],
    read: ['read', 'fs_read', 'code', 'image_read'],
    edit: ['write', 'fs_write'],
    search: ['grep', 'glob', 'knowledge'],
    web: ['web_search', 'web_fetch'],
    todo: ['todo_list', 'todo'],
    agent: ['subagent', 'use_subagent', 'delegate'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'prompt',
    agentType: 'agent',
    description: '__tool_use_purpose',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['kiro-cli', 'chat', '--resume-id'],
}

export const kiroStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.KIRO_HOME || `${home}/.kiro`}/sessions/cli`, depth: 0 },
  ],
}

/** Returns the exit code of a command: `exit status: 1`. */
export function exitCodeOf({ exit_status: status }: JsonObject): number | undefined {
  const [, code] = /(-?\d+)\s*$/.exec(asString(status) ?? '') ?? []
  return code === undefined ? undefined : Number(code)
}

/** Returns the plan in a result; undefined if it has none. */
export function todosOf({ tasks }: JsonObject): readonly Todo[] | undefined {
  if (!Array.isArray(tasks)) return undefined
  return tasks.filter(isObject).flatMap(({ id, task_description: text, completed }): readonly Todo[] => {
    if (typeof text !== 'string') return []
    const todo = { text, status: completed === true ? 'completed' : 'pending' } as const
    return [typeof id === 'string' ? { id, ...todo } : todo]
  })
}

/** Returns the change that a call has made to a file. */
export function changesOf(toolName: string, input: JsonObject): readonly FileChange[] | undefined {
  const { command, path } = input
  if (!kiro.tools.edit?.includes(toolName) || typeof path !== 'string') return undefined
  const text = asString(input.content) ?? asString(input.file_text)
  if (command === 'create') return listOf(changeOfNewFile(path, text ?? ''))
  const before = asString(input.oldStr) ?? asString(input.old_str) ?? ''
  const after = asString(input.newStr) ?? asString(input.new_str) ?? text ?? ''
  return [changeOfReplacements(path, [{ before, after }])]
}

function listOf(change: FileChange | undefined): readonly FileChange[] | undefined {
  return change && [change]
}

/** Returns the words of an error beside the content of a result. */
export function errorOf(results: unknown, callId: string): string | undefined {
  const error = asObject(asObject(asObject(asObject(results)[callId]).result).Error)
  return Object.values(error).find((value) => typeof value === 'string')
}

/** Returns the output of a tool: a single text or value, or the list of them. */
export function outputOf(content: unknown): unknown {
  const values = asArray(content).map((part) => asObject(part).data)
  return values.length === 1 ? values[0] : values
}
