import { asArray, asObject, asString, isString, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { changeOfNewFile, changeOfReplacements } from '../diff.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Antigravity, with its command line. */
export const antigravity: Program = {
  names: ['antigravity', 'antigravity-cli'],
  wire: 'antigravity',
  tools: {
    command: ['run_command', 'command_status', 'send_command_input'],
    read: ['view_file', 'view_code_item', 'view_file_outline', 'list_dir', 'view_content_chunk'],
    edit: ['write_to_file', 'replace_file_content', 'multi_replace_file_content'],
    search: ['grep_search', 'find_by_name', 'codebase_search'],
    web: ['search_web', 'read_url_content'],
    planMode: ['task_boundary'],
    question: ['notify_user'],
    agent: ['invoke_subagent', 'browser_subagent'],
    agentControl: ['send_message', 'manage_subagents'],
  },
  fields: {
    command: ['CommandLine'],
    path: ['TargetFile', 'AbsolutePath', 'DirectoryPath', 'SearchPath'],
    prompt: 'Prompt',
    agentType: 'TypeName',
    description: 'Role',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
}

export const antigravityStorage: ProgramStorage = {
  folders: ({ home }) => [
    { path: `${home}/.gemini/antigravity-cli/brain`, depth: 3 },
    { path: `${home}/.gemini/antigravity/brain`, depth: 3 },
  ],
}

/** Returns the input of a call. Each argument is JSON in a text. */
export function inputOf(args: unknown): JsonObject {
  const entries = Object.entries(asObject(args)).map(([name, value]): [string, unknown] => [
    name,
    isString(value) ? (parseJson(value) ?? value) : value,
  ])
  return Object.fromEntries(entries)
}

/** Returns the exit code that the words of a result state. */
export function exitCodeOf(words: string): number | undefined {
  const [, code] = /^\s*The command failed with exit code: (-?\d+)/m.exec(words) ?? []
  if (code !== undefined) return Number(code)
  return /^\s*The command completed successfully/m.test(words) ? 0 : undefined
}

/** Returns the changes that a call has made to files. */
export function changesOf(toolName: string, input: JsonObject): readonly FileChange[] | undefined {
  const { TargetFile: path } = input
  if (!isString(path)) return undefined
  switch (toolName) {
    case 'write_to_file': {
      const change = changeOfNewFile(path, input.CodeContent)
      return change && [change]
    }
    case 'replace_file_content':
      return [changeOfReplacements(path, [replacement(input)])]
    case 'multi_replace_file_content':
      return [
        changeOfReplacements(
          path,
          asArray(input.ReplacementChunks).map((chunk) => replacement(asObject(chunk))),
        ),
      ]
    default:
      return undefined
  }
}

function replacement({ TargetContent, ReplacementContent }: JsonObject) {
  return { before: asString(TargetContent) ?? '', after: asString(ReplacementContent) ?? '' }
}

/** Returns the ids of the agents that the result of a call names. */
export function agentIdsIn(words: string): readonly string[] {
  return Array.from(words.matchAll(/"conversationId":\s*"([^"]+)"/g), ([, id = '']) => id)
}
