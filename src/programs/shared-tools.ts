import { asObject, asString, isObject, type JsonObject } from '../json/values.ts'
import { isTodoStatus, type Todo } from '../state/todo.ts'
import { programOf } from './all.ts'
import { COMMAND } from './codex/tool-names.ts'

/**
 * What a call does, where several programs have a tool for it:
 * - `command`: runs a command of the shell
 * - `read`, `write`, `edit`: reads a file, writes a whole one, replaces a text in one
 * - `grep`, `glob`: searches the texts of files, or their names
 * - `agent`: starts an agent
 */
export type ToolMeaning = 'command' | 'read' | 'write' | 'edit' | 'grep' | 'glob' | 'agent'

/** A tool with a meaning, and its names for the fields of that meaning. */
interface SharedTool {
  readonly name: string
  /** The fields by their common names. A call without the first field has no such meaning. */
  readonly fields: Readonly<Record<string, string>>
  /** The list whose only entry has the fields `before` and `after`. */
  readonly list?: string
}

/** The tool that writes the whole plan, and how an entry looks. */
interface PlanTool {
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

const MEANINGS: readonly ToolMeaning[] = ['command', 'read', 'write', 'edit', 'grep', 'glob']

/** A call by its meaning, whichever program made it. */
export interface SharedCall {
  readonly meaning: ToolMeaning
  /** The values of the fields by their common names. */
  readonly values: JsonObject
  /** The fields that only the program of the call has. */
  readonly others: JsonObject
}

/** A call as one program writes it. */
export interface ProgramCall {
  readonly toolName: string
  readonly input: unknown
}

/** Returns the program's tools that other programs have too. */
function sharedTools(program: string | undefined): SharedTools {
  const name = programOf(program)?.names[0] ?? ''
  const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  // A fork has the tools of the program whose wire it speaks.
  return known ?? (name in FORKS ? (TOOLS[FORKS[name] ?? ''] ?? {}) : {})
}

const FORKS: Readonly<Record<string, string>> = { kilo: 'opencode', 'oh-my-pi': 'pi', openclaw: 'pi' }

/** Returns the meaning of a program's call; undefined if no other program has such a tool. A call that starts an agent is no such call. */
export function readSharedCall(
  program: string | undefined,
  { toolName, input }: ProgramCall,
): SharedCall | undefined {
  const tools = sharedTools(program)
  const { reported } = tools
  if (reported?.name === toolName) return readFields('command', reported, input)
  const meaning = MEANINGS.find((each) => tools[each]?.name === toolName)
  const tool = meaning && tools[meaning]
  return tool && readFields(meaning, tool, input)
}

function readFields(
  meaning: ToolMeaning,
  { fields, list }: SharedTool,
  input: unknown,
): SharedCall | undefined {
  const flat = isObject(input) ? flattened(input, list) : undefined
  if (!flat) return undefined
  const names = Object.entries(fields)
  const isKnown = (name: string) => names.some(([, own]) => own === name)
  const values = names.flatMap(([common, own]) => (Object.hasOwn(flat, own) ? [[common, flat[own]]] : []))
  const [first = ''] = Object.keys(fields)
  const call = { meaning, values: Object.fromEntries(values) }
  if (asString(call.values[first]) === undefined) return undefined
  return { ...call, others: Object.fromEntries(Object.entries(flat).filter(([name]) => !isKnown(name))) }
}

/** Returns the input with the fields of the only entry of its list; undefined if the list has several entries. */
function flattened(input: JsonObject, list: string | undefined): JsonObject | undefined {
  if (list === undefined) return input
  const { [list]: entries, ...others } = input
  if (!Array.isArray(entries) || entries.length !== 1) return undefined
  return { ...others, ...asObject(entries[0]) }
}

/** Returns the call as the program would make it; undefined if it has no such tool. Fields that it does not have keep their names. */
export function writeSharedCall(program: string, call: SharedCall): ProgramCall | undefined {
  const tool = sharedTools(program)[call.meaning]
  if (!tool) return undefined
  const own = (common: string) => (Object.hasOwn(tool.fields, common) ? tool.fields[common] : undefined)
  const values = Object.entries(call.values).map(([common, value]) => [own(common) ?? common, value] as const)
  const { list } = tool
  const inner = list === undefined ? [] : values.filter(([name]) => LISTED.some((each) => own(each) === name))
  const outer = values.filter((entry) => !inner.includes(entry))
  const entries = list === undefined ? {} : { [list]: [Object.fromEntries(inner)] }
  return { toolName: tool.name, input: { ...call.others, ...Object.fromEntries(outer), ...entries } }
}

const LISTED: readonly string[] = ['before', 'after']

/** Returns the entries of a plan that a program can hold: some know none that was cancelled. */
export function todosFor(program: string, todos: readonly Todo[]): readonly Todo[] {
  const { plan } = sharedTools(program)
  if (!plan) return []
  return plan.cancels ? todos : todos.filter(({ status }) => status !== 'cancelled')
}

/** Returns the call that writes a plan; undefined if the program has no such tool. */
export function writePlanCall(program: string, todos: readonly Todo[]): ProgramCall | undefined {
  const { plan } = sharedTools(program)
  if (!plan) return undefined
  const { name, list, text, done = 'completed', more } = plan
  const entries = todosFor(program, todos).map((todo, at) => ({
    [text]: todo.text,
    status: todo.status === 'completed' ? done : todo.status,
    ...more?.(todo, at),
  }))
  return { toolName: name, input: { [list]: entries } }
}

/** Returns the plan that a call writes; undefined for any other call. */
export function readPlanCall(
  program: string | undefined,
  { toolName, input }: ProgramCall,
): readonly Todo[] | undefined {
  const { plan } = sharedTools(program)
  const list = plan?.name === toolName ? asObject(input)[plan.list] : undefined
  if (!plan || !Array.isArray(list)) return undefined
  const todos = list.map((entry) => readTodo(asObject(entry), plan))
  return todos.every((todo) => todo !== undefined) ? todos : undefined
}

function readTodo(entry: JsonObject, { text, done }: PlanTool): Todo | undefined {
  const [words, status] = [asString(entry[text]), entry.status === done ? 'completed' : entry.status]
  return words !== undefined && isTodoStatus(status) ? { text: words, status } : undefined
}
