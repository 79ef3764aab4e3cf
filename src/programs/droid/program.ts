import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { isTodoStatus, type Todo } from '../../core/state/todo.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
import { changeOfHunks, changeOfNewFile, changeOfReplacements, changesOfPatch } from '../diff.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Factory Droid. */
export const droid: Program = {
  names: ['droid', 'factory-droid', 'factory'],
  wire: 'droid',
  tools: {
    command: ['Execute', 'TaskOutput', 'KillProcess'],
    read: ['Read', 'LS', 'view_file', 'view_folder'],
    edit: ['Edit', 'Create', 'MultiEdit', 'ApplyPatch'],
    search: ['Grep', 'Glob', 'ToolSearch'],
    web: ['WebSearch', 'FetchUrl'],
    todo: ['TodoWrite'],
    planMode: ['ExitSpecMode'],
    question: ['AskUser'],
    agent: ['Task'],
    agentControl: ['TaskStop'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'path', 'directory_path', 'folder'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'resume',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: true },
  resumeCommand: ['droid', '--resume'],
}

export const droidStorage: ProgramStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.FACTORY_HOME_OVERRIDE || home}/.factory/sessions`, depth: 1 },
  ],
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  // The stream has no reminders and no notices of the program, and nothing of its agents.
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the files of Factory Droid carry. */
export const droidCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  // Both sides have a time of their own for each message. The stream names the model once.
  unknownFields: ({ live }) => (live.type === 'subagent' ? ['timestamp', 'agentId'] : ['timestamp', 'model']),
  // Only the end of the stream has tokens, and those of agents are among them.
  streamMayLackTokens: true,
  streamSumsAgents: true,
  agentFacts: ['agentId', 'durationMs'],
  ownFacts: ['model'],
}

/** Returns the exit code that the words of a result state. */
export function exitCodeOf(words: string): number | undefined {
  const [, code] =
    /\[Process exited with code (-?\d+)\]\s*$/.exec(words) ??
    /^Error: Command failed \(exit code: (-?\d+)\)/.exec(words) ??
    []
  return code === undefined ? undefined : Number(code)
}

const ENTRY = /^(?:\d+[.)]\s*|[-*]\s+)?(?:\[(completed|in_progress|pending|x| )\]\s*)?(.*)$/i

/** Returns the plan that a call writes: a list, the JSON of one, or a text with an entry in each line. */
export function todosOf(toolName: string, { todos }: JsonObject): readonly Todo[] | undefined {
  return toolName === 'TodoWrite' ? todosIn(todos) : undefined
}

function todosIn(value: unknown): readonly Todo[] | undefined {
  const list = typeof value === 'string' ? (parseJson(value) ?? value.split('\n')) : value
  if (!Array.isArray(list)) return undefined
  return list.flatMap((entry): readonly Todo[] => {
    if (typeof entry === 'string') return todoOfLine(entry.trim())
    const { id, content, status } = asObject(entry)
    if (typeof content !== 'string') return []
    const todo = { text: content, status: isTodoStatus(status) ? status : 'pending' } as const
    return [typeof id === 'string' ? { id, ...todo } : todo]
  })
}

function todoOfLine(line: string): readonly Todo[] {
  const [, mark = '', text = ''] = ENTRY.exec(line) ?? []
  const word = mark.toLowerCase() === 'x' ? 'completed' : mark.toLowerCase()
  return text === '' ? [] : [{ text, status: isTodoStatus(word) ? word : 'pending' }]
}

/** Returns the changes that a call has made to files. `output` has the lines that differ. */
export function changesOf(output: unknown) {
  return (toolName: string, input: JsonObject): readonly FileChange[] | undefined => {
    if (toolName === 'ApplyPatch') return changesOfPatch(patchIn(input))
    const path = asString(input.file_path)
    if (path === undefined) return undefined
    switch (toolName) {
      case 'Create': {
        const change = changeOfNewFile(path, input.content)
        return change && [change]
      }
      case 'Edit':
      case 'MultiEdit':
        return [changeOfDiff(path, output) ?? changeOfReplacements(path, replacements(input))]
      default:
        return undefined
    }
  }
}

function patchIn({ input, patch }: JsonObject): string {
  return asString(input) ?? asString(patch) ?? ''
}

function replacements(input: JsonObject) {
  const edits = asArray(input.changes ?? input.edits)
  return (edits.length === 0 ? [input] : edits).map(asObject).map((edit) => ({
    before: asString(edit.old_str) ?? asString(edit.old_string) ?? '',
    after: asString(edit.new_str) ?? asString(edit.new_string) ?? '',
  }))
}

/** Returns the change of the lines in a result, each run of lines that differ as a hunk. Undefined if it has none. */
function changeOfDiff(path: string, output: unknown): FileChange | undefined {
  const { diffLines } = asObject(typeof output === 'string' ? parseJson(output) : output)
  const diff = asArray(diffLines).filter(isObject)
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = []
  const at = { old: 1, new: 1, isOpen: false }
  for (const { type, content, lineNumber } of diff) {
    const { old: oldLine, new: newLine } = asObject(lineNumber)
    if (typeof oldLine === 'number') at.old = oldLine
    if (typeof newLine === 'number') at.new = newLine
    const mark = type === 'added' ? '+' : type === 'removed' ? '-' : undefined
    if (mark !== undefined) {
      if (!at.isOpen) hunks.push({ oldStart: at.old, newStart: at.new, lines: [] })
      hunks.at(-1)?.lines.push(`${mark}${asString(content) ?? ''}`)
    }
    at.isOpen = mark !== undefined
    if (type !== 'added') at.old += 1
    if (type !== 'removed') at.new += 1
  }
  if (hunks.length === 0) return undefined
  const count = (lines: readonly string[], mark: string) =>
    lines.filter((line) => line.startsWith(mark)).length
  return changeOfHunks(
    { path, kind: 'edit' },
    hunks.map(({ oldStart, newStart, lines }) => {
      const oldLines = count(lines, '-')
      const newLines = count(lines, '+')
      // A hunk names the line before a place without lines.
      return {
        oldStart: oldStart - (oldLines === 0 ? 1 : 0),
        oldLines,
        newStart: newStart - (newLines === 0 ? 1 : 0),
        newLines,
        lines,
      }
    }),
  )
}

/** The result of a call that starts an agent: its id, whether it works on, and its report. */
export function agentResult(words: string): {
  readonly id?: string | undefined
  readonly isLaunch: boolean
  readonly report: string
} {
  const isLaunch = /^Task launched in background\./.test(words)
  const [, id] = /^session_id: (\S+)/m.exec(words) ?? /^task_id: (\S+)/m.exec(words) ?? []
  const [, report = words] =
    /^session_id: \S+\n(?:Use this report as the source of record\.[^\n]*\n)?([\s\S]*)$/.exec(words) ?? []
  return { id, isLaunch, report }
}

/** The words of the program when an agent in the background has ended; undefined for other words. */
export function agentReport(words: string) {
  const [, outcome, id, output] =
    /(?:^|\n)Background task (\w+)\.\ntask_id: (\S+)\n(?:[\s\S]*?\n)?output: ([\s\S]*?)(?:\n\nBackground task "[\s\S]*)?$/.exec(
      words,
    ) ?? []
  return id === undefined ? undefined : { id, isError: outcome !== 'completed', output }
}

/** Returns the task in the first message to an agent. The program writes its own words around the parent's. */
export function taskIn(words: string): string | undefined {
  return /---BEGIN TASK FROM PARENT AGENT---\n([\s\S]*)\n---END TASK FROM PARENT AGENT---/.exec(words)?.[1]
}
