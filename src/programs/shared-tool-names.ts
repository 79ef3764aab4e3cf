import type { JsonObject } from '../core/json/values.ts'
import type { Todo } from '../core/state/todo.ts'
import { programOf } from './all.ts'
import { COMMAND } from './codex/tool-names.ts'

/**
 * The purpose of a call, where several programs have a tool for it:
 * - `command`: runs a command of the shell
 * - `read`, `write`, `edit`: reads a file, writes a whole one, replaces a text in one
 * - `grep`, `glob`: searches the texts of files, or their names
 * - `agent`: starts an agent
 */
export type ToolMeaning = 'command' | 'read' | 'write' | 'edit' | 'grep' | 'glob' | 'agent'

/** A tool with a meaning, and its names for the fields of that meaning. */
export interface SharedTool {
  readonly name: string
  /** The fields by their common names. */
  readonly fields: Readonly<Record<string, string>>
  /** The list whose only entry has the fields `before` and `after`. */
  readonly list?: string
}

/** The tool that writes the whole plan, and how an entry looks. */
export interface PlanTool {
  readonly name: string
  readonly list: string
  readonly text: string
  /** The word for an entry that is done, if it is not `completed`. */
  readonly done?: string
  /** The program knows entries that were cancelled. */
  readonly cancels?: true
  /** Returns the further fields of an entry. */
  more?(todo: Todo, at: number): JsonObject
}

/** A program's tools that other programs have too. */
export interface SharedTools extends Readonly<Partial<Record<ToolMeaning, SharedTool>>> {
  readonly plan?: PlanTool
  /** Another name of the tool for commands, in the program's own reports. */
  readonly reported?: SharedTool
}

const PATTERN = { pattern: 'pattern', path: 'path' } as const
const EDIT = { before: 'old_string', after: 'new_string' } as const

const TOOLS: Readonly<Record<string, SharedTools>> = {
  'claude-code': {
    command: { name: 'Bash', fields: { command: 'command' } },
    read: { name: 'Read', fields: { path: 'file_path' } },
    write: { name: 'Write', fields: { path: 'file_path', content: 'content' } },
    edit: { name: 'Edit', fields: { path: 'file_path', ...EDIT } },
    grep: { name: 'Grep', fields: PATTERN },
    glob: { name: 'Glob', fields: PATTERN },
    plan: {
      name: 'TodoWrite',
      list: 'todos',
      text: 'content',
      more: ({ text }) => ({ activeForm: text }),
    },
    agent: agent('Agent', 'subagent_type'),
  },
  opencode: {
    command: { name: 'bash', fields: { command: 'command' } },
    read: { name: 'read', fields: { path: 'filePath' } },
    write: { name: 'write', fields: { path: 'filePath', content: 'content' } },
    edit: { name: 'edit', fields: { path: 'filePath', before: 'oldString', after: 'newString' } },
    grep: { name: 'grep', fields: PATTERN },
    glob: { name: 'glob', fields: PATTERN },
    plan: {
      name: 'todowrite',
      list: 'todos',
      text: 'content',
      cancels: true,
      more: () => ({ priority: 'medium' }),
    },
    agent: agent('task', 'subagent_type'),
  },
  codex: {
    command: { name: 'exec_command', fields: { command: 'cmd' } },
    reported: { name: COMMAND, fields: { command: 'command' } },
    plan: { name: 'update_plan', list: 'plan', text: 'step' },
    agent: { name: 'spawn_agent', fields: { prompt: 'message', type: 'agent_type' } },
  },
  pi: {
    command: { name: 'bash', fields: { command: 'command' } },
    read: { name: 'read', fields: { path: 'path' } },
    write: { name: 'write', fields: { path: 'path', content: 'content' } },
    edit: { name: 'edit', fields: { path: 'path', before: 'oldText', after: 'newText' }, list: 'edits' },
    grep: { name: 'grep', fields: PATTERN },
    glob: { name: 'find', fields: PATTERN },
    agent: { name: 'subagent', fields: { prompt: 'task', type: 'agent' } },
  },
  gemini: {
    command: { name: 'run_shell_command', fields: { command: 'command' } },
    read: { name: 'read_file', fields: { path: 'file_path' } },
    write: { name: 'write_file', fields: { path: 'file_path', content: 'content' } },
    edit: { name: 'replace', fields: { path: 'file_path', ...EDIT } },
    grep: { name: 'grep_search', fields: { pattern: 'pattern', path: 'dir_path' } },
    glob: { name: 'glob', fields: { pattern: 'pattern', path: 'dir_path' } },
    plan: { name: 'write_todos', list: 'todos', text: 'description', cancels: true },
    agent: { name: 'invoke_agent', fields: { prompt: 'prompt', type: 'agent_name' } },
  },
  qwen: {
    command: { name: 'run_shell_command', fields: { command: 'command' } },
    read: { name: 'read_file', fields: { path: 'file_path' } },
    write: { name: 'write_file', fields: { path: 'file_path', content: 'content' } },
    edit: { name: 'edit', fields: { path: 'file_path', ...EDIT } },
    grep: { name: 'grep_search', fields: PATTERN },
    glob: { name: 'glob', fields: PATTERN },
    plan: {
      name: 'todo_write',
      list: 'todos',
      text: 'content',
      more: ({ id }, at) => ({ id: id ?? String(at + 1) }),
    },
    agent: agent('agent', 'subagent_type'),
  },
  kimi: {
    command: { name: 'Bash', fields: { command: 'command' } },
    read: { name: 'Read', fields: { path: 'path' } },
    write: { name: 'Write', fields: { path: 'path', content: 'content' } },
    edit: { name: 'Edit', fields: { path: 'path', ...EDIT } },
    grep: { name: 'Grep', fields: PATTERN },
    glob: { name: 'Glob', fields: PATTERN },
    plan: { name: 'TodoList', list: 'todos', text: 'title', done: 'done' },
    agent: agent('Agent', 'subagent_type'),
  },
  kiro: {
    command: { name: 'shell', fields: { command: 'command' } },
  },
  vibe: {
    command: { name: 'bash', fields: { command: 'command' } },
    read: { name: 'read_file', fields: { path: 'path' } },
    write: { name: 'write_file', fields: { path: 'path', content: 'content' } },
    edit: { name: 'edit', fields: { path: 'file_path', ...EDIT } },
    grep: { name: 'grep', fields: PATTERN },
    plan: { name: 'todo', list: 'todos', text: 'content' },
    agent: { name: 'task', fields: { prompt: 'task', type: 'agent' } },
  },
  antigravity: {
    command: { name: 'run_command', fields: { command: 'CommandLine' } },
    read: { name: 'view_file', fields: { path: 'AbsolutePath' } },
    write: { name: 'write_to_file', fields: { path: 'TargetFile', content: 'CodeContent' } },
    edit: {
      name: 'replace_file_content',
      fields: { path: 'TargetFile', before: 'TargetContent', after: 'ReplacementContent' },
    },
    grep: { name: 'grep_search', fields: { pattern: 'Query', path: 'SearchPath' } },
  },
  hermes: {
    command: { name: 'terminal', fields: { command: 'command' } },
    read: { name: 'read_file', fields: { path: 'path' } },
    write: { name: 'write_file', fields: { path: 'path', content: 'content' } },
    edit: { name: 'patch', fields: { path: 'path', ...EDIT } },
    plan: { name: 'todo', list: 'todos', text: 'content' },
  },
  droid: {
    command: { name: 'Execute', fields: { command: 'command' } },
    read: { name: 'Read', fields: { path: 'file_path' } },
    write: { name: 'Create', fields: { path: 'file_path', content: 'content' } },
    edit: { name: 'Edit', fields: { path: 'file_path', before: 'old_str', after: 'new_str' } },
    grep: { name: 'Grep', fields: PATTERN },
    glob: { name: 'Glob', fields: { pattern: 'patterns', path: 'folder' } },
    agent: agent('Task', 'subagent_type'),
  },
  continue: {
    command: { name: 'Bash', fields: { command: 'command' } },
    read: { name: 'Read', fields: { path: 'filepath' } },
    write: { name: 'Write', fields: { path: 'filepath', content: 'content' } },
    edit: { name: 'Edit', fields: { path: 'file_path', ...EDIT } },
    grep: { name: 'Search', fields: PATTERN },
    agent: agent('Subagent', 'subagent_name'),
  },
  copilot: {
    command: { name: 'bash', fields: { command: 'command' } },
    read: { name: 'view', fields: { path: 'path' } },
    write: { name: 'create', fields: { path: 'path', content: 'file_text' } },
    edit: { name: 'edit', fields: { path: 'path', before: 'old_str', after: 'new_str' } },
    grep: { name: 'grep', fields: PATTERN },
    glob: { name: 'glob', fields: PATTERN },
    agent: agent('task', 'agent_type'),
  },
}

function agent(name: string, type: string): SharedTool {
  return { name, fields: { prompt: 'prompt', type, description: 'description' } }
}

/** Returns the program's tools that other programs have too. */
export function sharedTools(program: string | undefined): SharedTools {
  const name = programOf(program)?.names[0] ?? ''
  return TOOLS[FORKS[name] ?? name] ?? {}
}

/** Returns the tables in which a program's call may be. The calls of an unknown program may have the names of any other one. */
export function toolTables(program: string | undefined): readonly SharedTools[] {
  return programOf(program) ? [sharedTools(program)] : Object.values(TOOLS)
}

/** A fork has the tools of the program whose wire it speaks. */
const FORKS: Readonly<Record<string, string>> = { kilo: 'opencode', 'oh-my-pi': 'pi', openclaw: 'pi' }
