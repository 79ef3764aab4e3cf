import { asObject, asString, isString } from '../../core/json/values.ts'
import type { ProgramReader, ShownCall } from '../reader.ts'
import { UNKNOWN_TOOL } from './program.ts'
import { exitCodeIn, extractReport, parseTaskTag, toolChanges } from './tool-result.ts'

/** Reads OpenCode for a protocol. */
export const opencodeReader: ProgramReader = {
  unknownTool: UNKNOWN_TOOL,
  toolName: (call) =>
    isUnknownTool(call) ? UNKNOWN_TOOL : (call.toolName ?? nameInTitle(call) ?? nameByInput(call)),
  result: (record) => ({ exitCode: exitCodeIn(record) }),
  agentResult({ output, record }) {
    const text = asString(output)
    const tag = text === undefined ? undefined : parseTaskTag(text)
    const agentId = tag?.id ?? asString(record.sessionId)
    if (tag?.state === 'running') return { agentId, isLaunch: true }
    return { agentId, isError: tag?.state === 'error', report: text && extractReport(text) }
  },
  fileChanges: ({ call, record }) =>
    toolChanges({ status: 'completed', input: call.input, metadata: record }),
}

function isUnknownTool({ kind, input }: ShownCall): boolean {
  const { tool, error } = asObject(input)
  return kind === 'other' && isString(tool) && isString(error)
}

/** The title of a call whose input is still to come is the name. Such an input holds at most the working folder. */
function nameInTitle({ title = '', input, isPending }: ShownCall): string | undefined {
  if (!isPending || input === undefined) return undefined
  const { cwd, ...others } = asObject(input)
  return Object.keys(others).length === 0 && /^[\w.-]+$/.test(title) ? title : undefined
}

/** A field that only one tool of its kind has. The first match counts. */
const BY_INPUT: readonly (readonly [kind: string, field: string, name: string])[] = [
  ['think', 'subagent_type', 'task'],
  ['execute', 'command', 'bash'],
  ['execute', 'cmd', 'bash'],
  ['edit', 'patchText', 'apply_patch'],
  ['edit', 'oldString', 'edit'],
  ['edit', 'content', 'write'],
  ['read', 'filePath', 'read'],
  ['search', 'include', 'grep'],
  ['fetch', 'url', 'webfetch'],
  ['other', 'todos', 'todowrite'],
]

function nameByInput({ kind, input }: ShownCall): string | undefined {
  const fields = asObject(input)
  return BY_INPUT.find(([of, field]) => of === kind && field in fields)?.[2]
}
