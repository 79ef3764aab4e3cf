import { asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { changeOfNewFile, changeOfReplacements, replacementsIn } from '../diff.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Mistral Vibe. */
export const vibe: Program = {
  names: ['vibe', 'mistral-vibe'],
  wire: 'vibe',
  tools: {
    command: ['bash', 'bash_output', 'kill_shell'],
    read: ['read_file', 'read', 'ls', 'read_image'],
    edit: ['write_file', 'search_replace', 'edit', 'notebook_edit'],
    search: ['grep', 'glob', 'ast_grep'],
    web: ['web_search', 'web_fetch'],
    todo: ['todo'],
    planMode: ['enter_plan_mode', 'exit_plan_mode'],
    question: ['ask_user_question'],
    agent: ['task'],
  },
  fields: {
    command: ['command'],
    path: ['path', 'file_path'],
    prompt: 'task',
    agentType: 'agent',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['vibe', '--resume'],
}

export const vibeStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.VIBE_HOME || `${home}/.vibe`}/logs/session`, depth: 1 },
  ],
}

/** Returns the exit code that the words of a result state. */
export function exitCodeOf(words: string): number | undefined {
  const [, code] = /(?:^|\n)(?:returncode|Return code): (-?\d+)/.exec(words) ?? []
  return code === undefined ? undefined : Number(code)
}

/** Whether the words of a result are those of an error, or of a call that the person did not let run. */
export function isFailure(words: string): boolean {
  return /^\s*<(?:tool_error|user_cancellation)>/.test(words)
}

/** Whether the person has stopped the work in the middle of a call. */
export function isStopped(words: string): boolean {
  return /^\s*<user_cancellation>.*(?:interrupted|cancelled the operation)/is.test(words)
}

/** Returns the plan that a call writes; undefined for another call. */
export function todosOf(toolName: string, { action, todos }: JsonObject): readonly Todo[] | undefined {
  if (toolName !== 'todo' || action === 'read' || !Array.isArray(todos)) return undefined
  return todos.map(asObject).flatMap(({ id, content, status }): readonly Todo[] => {
    if (typeof content !== 'string') return []
    const todo = { text: content, status: isTodoStatus(status) ? status : 'pending' } as const
    return [typeof id === 'string' ? { id, ...todo } : todo]
  })
}

/** Returns the changes that a call has made to files. */
export function changesOf(toolName: string, input: JsonObject): readonly FileChange[] | undefined {
  const path = asString(input.file_path) ?? asString(input.path)
  if (path === undefined) return undefined
  switch (toolName) {
    case 'write_file': {
      const change = changeOfNewFile(path, input.content)
      return change && [change]
    }
    case 'search_replace':
      return [changeOfReplacements(path, replacementsIn(asString(input.content) ?? ''))]
    case 'edit': {
      const [before, after] = [asString(input.old_string), asString(input.new_string)]
      return [changeOfReplacements(path, [{ before: before ?? '', after: after ?? '' }])]
    }
    default:
      return undefined
  }
}

/** Returns the words of an agent in the result of its call. The program adds how the run went. */
export function reportOf(words: string): { readonly output: string; readonly isError: boolean } {
  const [, output = words, completed] =
    /^response: ([\s\S]*?)\nturns_used: \d+\ncompleted: (\w+)\s*$/.exec(words) ?? []
  return { output, isError: completed === 'False' || isFailure(words) }
}
