import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import { changeOfNewFile, changeOfReplacements, changesOfPatch } from '../diff.ts'
import type { Environment, Program, ProgramStorage } from '../program.ts'

/** Hermes Agent. */
export const hermes: Program = {
  names: ['hermes', 'hermes-agent'],
  wire: 'hermes',
  tools: {
    command: ['terminal', 'process', 'execute_code'],
    read: ['read_file', 'skill_view'],
    edit: ['write_file', 'patch'],
    search: ['search_files', 'session_search'],
    web: ['web_search', 'web_extract', 'browser_navigate'],
    todo: ['todo'],
    question: ['clarify'],
    agent: ['delegate_task'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'goal',
    // The field is `role`, which other inputs have too.
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['hermes', '--resume'],
}

export const hermesStorage: ProgramStorage = {
  folders: () => [],
  database: { name: 'state.db', folder: homeOf, variable: 'HERMES_STATE_DB' },
}

/** Only Windows has the variable. */
function homeOf({ home, variables: { HERMES_HOME, LOCALAPPDATA } }: Environment): string {
  return HERMES_HOME || (LOCALAPPDATA ? `${LOCALAPPDATA}/hermes` : `${home}/.hermes`)
}

/** The facts in the JSON of a result. */
interface HermesResult {
  readonly output: unknown
  readonly isError: boolean
  readonly exitCode?: number | undefined
  readonly todos?: readonly Todo[] | undefined
}

/** Reads the value of a result, which is JSON in a text. */
export function readResult(value: JsonObject, text: string): HermesResult {
  const { output = text, error, exit_code, success } = value
  const exitCode = asFiniteNumber(exit_code)
  const message = asString(error) ?? ''
  return {
    output: output === '' && message !== '' ? message : output,
    isError: message !== '' || success === false || (exitCode ?? 0) !== 0,
    exitCode,
    todos: Array.isArray(value.todos) ? value.todos.flatMap((each) => readTodo(asObject(each))) : undefined,
  }
}

function readTodo({ id, content, status }: JsonObject): readonly Todo[] {
  if (typeof content !== 'string') return []
  const todo = { text: content, status: isTodoStatus(status) ? status : 'pending' } as const
  return [isString(id) ? { id, ...todo } : todo]
}

/** Returns the changes that a call has made to files. */
export function changesOf(toolName: string, input: JsonObject): readonly FileChange[] | undefined {
  const { path, content, patch, old_string, new_string } = input
  if (toolName === 'write_file') {
    const change = changeOfNewFile(path, content)
    return change && [change]
  }
  if (toolName !== 'patch') return undefined
  if (isString(patch)) return changesOfPatch(patch)
  if (!isString(path)) return undefined
  return [
    changeOfReplacements(path, [{ before: asString(old_string) ?? '', after: asString(new_string) ?? '' }]),
  ]
}

/** An agent that has ended, with its prompt or the beginning of it. */
interface AgentReport {
  readonly isError: boolean
  readonly output?: string | undefined
  readonly prompt?: string | undefined
}

/** Returns the reports of agents that ran while their call waited. */
export function reportsIn({ results }: JsonObject): readonly AgentReport[] {
  return asArray(results)
    .map(asObject)
    .map(({ status, summary, error }) => ({
      isError: status !== 'completed' && status !== 'success',
      output: asString(summary) ?? asString(error),
    }))
}

const TASK = /^--- \S+ TASK \d+\/\d+: ([\s\S]*?)\s+\(status=(\w+)[^\n]*\) ---\n/gm

/** Returns the reports in a message about agents in the background. */
export function backgroundReports(text: string): readonly AgentReport[] {
  const heads = [...text.matchAll(TASK)]
  if (heads.length === 0) return [{ isError: /^\[[^\]]*FAILED/.test(text), output: text }]
  return heads.map((head, at) => ({
    prompt: head[1],
    isError: head[2] !== 'completed',
    output: text.slice(head.index + head[0].length, heads[at + 1]?.index).trim(),
  }))
}
