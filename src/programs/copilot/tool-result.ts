import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { DiffHunk, FileChange, FileChangeKind } from '../../core/state/file-change.ts'
import { changeOfHunks, type FilePatch, fileOf, readPatch } from '../diff.ts'
import type { ProgramReader, ShownCall } from '../reader.ts'
import { copilot } from './program.ts'
import { todosAfterCall } from './sql-todos.ts'

/** The result of a call. */
interface ReportedResult {
  /** Undefined if the call is not known. */
  readonly toolName: string | undefined
  /** A unified diff. The tool that shows a file has one too. */
  readonly diff: string | undefined
  /** The changed files, in the order of the diff. Versions before 1.0.102 do not list them. */
  readonly fileEdits: unknown
}

/** Returns the changes to files that a successful call has made, or undefined if its tool changes none. */
export function fileChangesOf({
  toolName,
  diff = '',
  fileEdits,
}: ReportedResult): readonly FileChange[] | undefined {
  const edits = asArray(fileEdits).map(asObject)
  const isEdit = toolName !== undefined && copilot.tools.edit?.includes(toolName) === true
  if (!isEdit && edits.length === 0) return undefined
  const files = readPatch(diff)
  const changes =
    files.length === 0
      ? edits.flatMap(changeWithoutDiff)
      : files.map((file, at) => changeOf(file, files.length === edits.length ? edits[at] : undefined))
  return changes.length === 0 ? undefined : changes
}

function changeWithoutDiff({ path, kind }: JsonObject): readonly FileChange[] {
  const name = asString(path)
  return name === undefined ? [] : [{ path: name, kind: KINDS.get(kind) ?? 'edit', added: 0, removed: 0 }]
}

const KINDS: ReadonlyMap<unknown, FileChangeKind> = new Map<unknown, FileChangeKind>([
  ['create', 'add'],
  ['edit', 'edit'],
  ['delete', 'delete'],
])

function changeOf(
  { oldName = '', newName = '', hunks }: FilePatch,
  edit: JsonObject | undefined,
): FileChange {
  const file = fileOf({ oldName: withoutPrefix(oldName), newName: withoutPrefix(newName) })
  const path = asString(edit?.path) ?? file.path ?? ''
  const kind = KINDS.get(edit?.kind) ?? file.kind
  return changeOfHunks({ path, kind }, hunks.map(withoutLastNewline))
}

/** Git puts a letter before each of the two names. */
function withoutPrefix(name: string): string {
  return name.replace(/^[ab](?=\/)/, '')
}

/** The program takes the end of the last line for a further, empty line. A whole file alone leaves no doubt which line it is. */
function withoutLastNewline(hunk: DiffHunk): DiffHunk {
  const { oldLines, newLines, lines } = hunk
  const last = lines.at(-1)
  if (oldLines === 0 && last === '+') return { ...hunk, newLines: newLines - 1, lines: lines.slice(0, -1) }
  if (newLines === 0 && last === '-') return { ...hunk, oldLines: oldLines - 1, lines: lines.slice(0, -1) }
  return hunk
}

/** Returns the exit code in the words for the model. Versions before 1.0.102 state it there alone. */
export function exitCodeIn(text: string): number | undefined {
  const code = /<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>\s*$/.exec(text)?.[1]
  return code === undefined ? undefined : Number(code)
}

/** Returns the id of an agent that works in the background from the answer to its call; undefined for a report. */
export function launchedAgent(text: string): string | undefined {
  return /\bagent_id: ([\w-]+)/.exec(text)?.[1]
}

/** Reads GitHub Copilot CLI for a protocol. */
export const copilotReader: ProgramReader = {
  resultsNameAgents: true,
  toolName: (call) => call.toolName ?? nameByInput(call),
  result(record) {
    const text = asString(record.content) ?? asString(record.message)
    return { output: text, exitCode: asFiniteNumber(record.exitCode) ?? exitCodeIn(text ?? '') }
  },
  agentResult({ output, record }) {
    const text = asString(record.content) ?? asString(record.message) ?? asString(output)
    const agentId = launchedAgent(text ?? '')
    return agentId === undefined ? { report: text } : { agentId, isLaunch: true }
  },
  fileChanges: ({ call, record }) =>
    fileChangesOf({
      toolName: call.toolName,
      diff: asString(record.detailedContent),
      fileEdits: record.fileEdits,
    }),
  todosAfter: todosAfterCall,
  warning: (text) => (PROGRAM_TEXT.test(text) ? text : undefined),
  isFailure: (warning) => warning.startsWith('Error: '),
}

/** The program writes its own news as texts of the model. */
const PROGRAM_TEXT =
  /^(?:Info: (?:\/|[A-Z]:\\|Operation cancelled|.*retrying\.{3}$)|Warning: |Error: \d{3} )/i

/** A field that only one tool of its kind has. The first match counts. */
const BY_INPUT: readonly (readonly [field: string, name: string])[] = [
  ['agent_type', 'task'],
  ['command', 'bash'],
  ['old_str', 'edit'],
  ['file_text', 'create'],
  ['query', 'sql'],
  ['skill', 'skill'],
  ['question', 'ask_user'],
]

/** A tool without such a field has the name as its title, or a title with what it views. */
function nameByInput({ kind, input, title = '' }: ShownCall): string | undefined {
  if (isString(input) && kind === 'edit') return 'apply_patch'
  if (/^[\w.-]+$/.test(title)) return title
  const fields = asObject(input)
  const name = BY_INPUT.find(([field]) => field in fields)?.[1]
  return name ?? (kind === 'read' && 'path' in fields ? 'view' : undefined)
}
