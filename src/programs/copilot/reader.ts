import { asFiniteNumber, asObject, asString, isString } from '../../core/json/values.ts'
import type { ProgramReader, ShownCall } from '../reader.ts'
import { exitCodeIn, fileChangesOf, launchedAgent } from './file-changes.ts'
import { todosAfterCall } from './sql-todos.ts'

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
