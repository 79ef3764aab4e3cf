import { isEqual } from '../core/json/equal.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../core/json/values.ts'
import type { FileChange } from '../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../core/state/todo.ts'
import { FILE_CHANGE } from './codex/tool-names.ts'
import {
  type PlanTool,
  type SharedTool,
  type SharedTools,
  sharedTools,
  type ToolMeaning,
  toolTables,
} from './shared-tool-names.ts'

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

/** Returns the meaning of a program's call; undefined if no other program has such a tool. A call that starts an agent is no such call. */
export function readSharedCall(program: string | undefined, call: ProgramCall): SharedCall | undefined {
  for (const tools of toolTables(program)) {
    const read = readCallOf(tools, call)
    if (read) return read
  }
  return undefined
}

function readCallOf(tools: SharedTools, { toolName, input }: ProgramCall): SharedCall | undefined {
  const { reported } = tools
  if (reported?.name === toolName) return readFields('command', reported, input)
  const meaning = MEANINGS.find((each) => tools[each]?.name === toolName)
  const tool = meaning && tools[meaning]
  return tool && readFields(meaning, tool, input)
}

/** Whether the program has such a tool, and it may have other fields than the call. */
export function hasToolNamed(program: string, toolName: string): boolean {
  const tools = sharedTools(program)
  return [...MEANINGS, 'plan' as const].some((each) => tools[each]?.name === toolName)
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
  const call = { meaning, values: Object.fromEntries(values) }
  const needed = CHANGES_FILES.has(meaning) ? Object.keys(fields) : Object.keys(fields).slice(0, 1)
  if (needed.some((common) => asString(call.values[common]) === undefined)) return undefined
  return { ...call, others: Object.fromEntries(Object.entries(flat).filter(([name]) => !isKnown(name))) }
}

/** The meanings that need all their fields. For the others, the first field is enough. */
const CHANGES_FILES: ReadonlySet<ToolMeaning> = new Set(['write', 'edit'])

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

/**
 * Returns the paths in a call that names the files of a patch, and has no field but these and the diff; undefined for any
 * other call. A call with a name of its own is a patch if its result states `changes` of these files.
 */
export function pathsOfPatch(
  { toolName, input }: ProgramCall,
  changes?: readonly FileChange[],
): readonly string[] | undefined {
  const { changes: files, diff, ...others } = asObject(input)
  if (!Array.isArray(files) || Object.keys(others).length > 0) return undefined
  const paths = files.map(asObject).map(({ path, kind }) => (isString(kind) ? asString(path) : undefined))
  if (!paths.every(isString)) return undefined
  return toolName === FILE_CHANGE || (changes && isOfFiles(changes, paths)) ? paths : undefined
}

/** Whether changes are of these files. A moved file goes by its former name. */
export function isOfFiles(changes: readonly FileChange[], paths: readonly string[]): boolean {
  return isEqual(changes.map(({ path, from }) => from ?? path).sort(), [...paths].sort())
}

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
export function readPlanCall(program: string | undefined, call: ProgramCall): readonly Todo[] | undefined {
  for (const { plan } of toolTables(program)) {
    const list = plan?.name === call.toolName ? asObject(call.input)[plan.list] : undefined
    if (!plan || !Array.isArray(list)) continue
    const todos = list.map((entry) => readTodo(asObject(entry), plan))
    if (todos.every((todo) => todo !== undefined)) return todos
  }
  return undefined
}

function readTodo(entry: JsonObject, { text, done }: PlanTool): Todo | undefined {
  const [words, status] = [asString(entry[text]), entry.status === done ? 'completed' : entry.status]
  return words !== undefined && isTodoStatus(status) ? { text: words, status } : undefined
}
