import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import type { Todo } from '../../core/state/todo.ts'
import { changeOfHunks, changeOfNewFile, changeOfReplacements, hunksIn } from '../diff.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Continue: its command line, and its extensions, which write the same files. */
export const continueProgram: Program = {
  names: ['continue', 'continue-cli'],
  wire: 'continue',
  tools: {
    command: ['Bash', 'CheckBackgroundJob', 'run_terminal_command'],
    read: [
      'Read',
      'List',
      'Diff',
      'read_file',
      'read_file_range',
      'read_currently_open_file',
      'ls',
      'view_diff',
    ],
    edit: [
      'Edit',
      'MultiEdit',
      'Write',
      'edit_existing_file',
      'single_find_and_replace',
      'multi_edit',
      'create_new_file',
    ],
    search: ['Search', 'grep_search', 'file_glob_search', 'codebase'],
    web: ['Fetch', 'fetch_url_content', 'search_web'],
    todo: ['Checklist'],
    question: ['AskQuestion'],
    agent: ['Subagent'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'filepath', 'dirpath', 'dirPath', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_name',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

export const continueStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.CONTINUE_GLOBAL_DIR || `${home}/.continue`}/sessions`, depth: 0 },
  ],
}

/** Returns the exit code that the words of a result state. A command that writes nothing to its errors has none. */
export function exitCodeOf(words: string): number | undefined {
  const [, code] = /^Error executing tool Bash: Error \(exit code (-?\d+)\)/.exec(words) ?? []
  return code === undefined ? undefined : Number(code)
}

/** Returns the plan that a call writes: an entry with a box in each line. */
export function todosOf(toolName: string, { checklist }: JsonObject): readonly Todo[] | undefined {
  if (toolName !== 'Checklist' || typeof checklist !== 'string') return undefined
  return Array.from(
    checklist.matchAll(/^[ \t]*[-*][ \t]+\[([ xX])\][ \t]+(\S.*)$/gm),
    ([, mark, text = '']): Todo => ({
      text: text.trim(),
      status: mark === ' ' ? 'pending' : 'completed',
    }),
  )
}

/** Returns the changes that a call has made to files. `output` may have the diff. */
export function changesOf(output: string) {
  return (toolName: string, input: JsonObject): readonly FileChange[] | undefined => {
    const path = asString(input.file_path) ?? asString(input.filepath)
    if (path === undefined) return undefined
    switch (toolName) {
      case 'Write':
      case 'create_new_file': {
        const hunks = hunksOf(output)
        if (hunks.length > 0) return [changeOfHunks({ path, kind: 'edit' }, hunks)]
        const change = changeOfNewFile(path, input.content ?? input.contents)
        return change && [change]
      }
      case 'Edit':
      case 'MultiEdit':
      case 'single_find_and_replace':
      case 'multi_edit': {
        const hunks = hunksOf(output)
        if (hunks.length > 0) return [changeOfHunks({ path, kind: 'edit' }, hunks)]
        return [changeOfReplacements(path, replacements(input))]
      }
      case 'edit_existing_file':
        return [changeOfHunks({ path, kind: 'edit' }, [])]
      default:
        return undefined
    }
  }
}

/** The diff is behind the words of a result. */
function hunksOf(output: string) {
  const start = output.search(/^--- /m)
  return start < 0 ? [] : hunksIn(output.slice(start))
}

function replacements(input: JsonObject) {
  const edits = asArray(input.edits)
  return (edits.length === 0 ? [input] : edits).map(asObject).map(({ old_string, new_string }) => ({
    before: asString(old_string) ?? '',
    after: asString(new_string) ?? '',
  }))
}

/** Returns the words of an agent in the result of its call. The program adds how the run went. */
export function reportOf(words: string, isError: boolean) {
  const [, output = words, status] =
    /^([\s\S]*?)\n?<task_metadata>\nstatus: (\w+)\n<\/task_metadata>\s*$/.exec(words) ?? []
  return { output, isError: isError || status === 'failed' }
}
