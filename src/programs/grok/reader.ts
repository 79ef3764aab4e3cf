import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import { imageAt, type UserContentPart } from '../../core/state/content.ts'
import { changeOfHunks, hunksBetween } from '../diff.ts'
import type { OwnMessage, ProgramReader, StreamLine } from '../reader.ts'
import { answeredQuestion, outcomeOf, ownMessage, responseTokens } from './own-message.ts'
import { grokSessionFolder } from './session-folder.ts'

/** Reads a line of `-p --output-format streaming-json`: an update without its session, or a message of the program's own. */
function streamLine(line: JsonObject): StreamLine | undefined {
  const { type, data, usage, entries } = line
  switch (type) {
    case 'text':
    case 'thought':
      return isString(data) ? { update: chunk(type, data) } : undefined
    case 'tool_call':
    case 'tool_call_update':
      return isString(line.toolCallId) ? { update: { ...line, sessionUpdate: type } } : undefined
    case 'plan':
      return Array.isArray(entries) ? { update: { sessionUpdate: type, entries } } : undefined
    case 'usage':
      return isObject(usage) ? { own: { type: 'response', usage: responseTokens(usage) } } : undefined
    case 'available_commands':
      return Array.isArray(line.commands) ? { own: { type: 'ignored' } } : undefined
    case 'end':
    case 'error':
      return endOf(line)
    default:
      return undefined
  }
}

function chunk(type: 'text' | 'thought', text: string): JsonObject {
  const sessionUpdate = type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
  return { sessionUpdate, content: { type: 'text', text } }
}

function endOf({ type, stopReason, sessionId, message, modelUsage }: JsonObject): StreamLine | undefined {
  const models = Object.keys(asObject(modelUsage))
  const end = {
    type: 'turn-ended',
    promptId: '',
    model: models.length === 1 ? models[0] : undefined,
    isCopy: false,
  } as const
  if (type === 'error')
    return isString(message) ? { own: { ...end, outcome: 'failed', error: wordsOf(message) } } : undefined
  if (!isString(stopReason) || !isString(sessionId)) return undefined
  return { sessionId, own: { ...end, outcome: outcomeOf(stopReason) } satisfies OwnMessage }
}

/** Returns the message of the API's error. The program puts it into JSON, behind words of its own. */
function wordsOf(message: string): string {
  const record = asObject(parseJson(message.slice(Math.max(0, message.indexOf('{')))))
  return asString(record.message) ?? message
}

/** Whether the line has fields that only this stream has together. */
function isProofOfStream(line: JsonObject): boolean {
  switch (line.type) {
    case 'available_commands':
      return Array.isArray(line.tools) && Array.isArray(line.commands)
    case 'tool_call':
      return isString(line.toolCallId) && isString(line.toolName) && Array.isArray(line.locations)
    case 'tool_call_update':
      return isString(line.toolCallId) && 'rawOutput' in line && Array.isArray(line.locations)
    case 'end':
      return isString(line.stopReason) && isString(line.requestId) && isObject(line.modelUsage)
    default:
      return false
  }
}

/** Reads Grok Build for a protocol. */
export const grokReader: ProgramReader = {
  reportsTurns: true,
  queuesPrompts: true,
  reportsAgentEnds: true,
  sessionFolder: grokSessionFolder,
  firstFields: ['title', 'rawInput'],
  toolName: ({ toolName, title, meta }) => asString(asObject(meta?.['x.ai/tool']).name) ?? toolName ?? title,
  result(record, shown) {
    const exitCode = asFiniteNumber(record.exit_code)
    const isError = record.is_error === true || (exitCode !== undefined && exitCode !== 0)
    return omitUndefined({ output: shown || wordsIn(record), exitCode, isError: isError || undefined })
  },
  agentResult({ output, record }) {
    const text = asString(output) ?? ''
    const agentId = asString(record.subagent_id) ?? /\bsubagent_id: ([\w-]+)/.exec(text)?.[1]
    const isLaunch = text.startsWith('Subagent started in background.') || undefined
    const durationMs = asFiniteNumber(record.duration_ms)
    return { agentId, isLaunch, durationMs, report: asString(record.output) ?? text }
  },
  agentReport: (text) => text.replace(/^Tool `spawn_subagent` failed: /, ''),
  fileChanges({ record }) {
    const { absolute_path, old_string, new_string, edits } = asObject(record.EditsApplied)
    const path = asString(absolute_path)
    if (path === undefined || !isString(old_string) || !isString(new_string)) return undefined
    const line = asFiniteNumber(asObject(asArray(asObject(edits).details)[0]).old_line) ?? 1
    const hunks = hunksBetween(old_string, new_string).map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + line - 1,
      newStart: hunk.newStart + line - 1,
    }))
    return [changeOfHunks({ path, kind: old_string === '' ? 'add' : 'edit' }, hunks)]
  },
  messageOrigin: (text) => (text.startsWith('<system-reminder>') ? 'notification' : undefined),
  idsOf({ promptId, streamStartMs }) {
    const id = asString(promptId)
    return id === undefined
      ? undefined
      : { promptId: id, messageId: `${id}:${asFiniteNumber(streamStartMs)}` }
  },
  ownMessage,
  askedQuestion: answeredQuestion,
  compactionPrompt: '/compact',
  stream: { read: streamLine, isProof: isProofOfStream },
  answer: ({ answers }) =>
    isObject(answers) ? Object.values(answers).flat().filter(isString).join(', ') : undefined,
}

/** The fields with the words for the model, in the records of tools without a text for the display. */
const WORDS = [
  'tool_output_for_prompt',
  'summary_for_prompt',
  'OkayOutput',
  'Error',
  'output',
  'message',
  'text',
]

function wordsIn(record: JsonObject): unknown {
  const objects = [record, ...Object.values(record).filter(isObject)]
  const words = objects.flatMap((each) => WORDS.map((name) => each[name])).find(isString) ?? record
  return record.type === 'MCP' && isString(words) ? partsIn(words) : words
}

/** Returns the words of a server's tool. An image in them is an address on a line of its own. */
function partsIn(words: string): unknown {
  const parts = words.split(/\n?^(data:image\/[^;,\n]+;base64,[^\n]*)$\n?/m)
  if (parts.length === 1) return words
  return parts.flatMap((part, at): readonly UserContentPart[] => {
    if (at % 2 === 1) return [imageAt(part)]
    return part === '' ? [] : [{ type: 'text', text: part }]
  })
}
