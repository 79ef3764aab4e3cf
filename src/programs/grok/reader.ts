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
import type { TurnOutcome } from '../../core/state/turn.ts'
import { changeOfHunks, hunksBetween } from '../diff.ts'
import type {
  AskedQuestion,
  ForeignMessage,
  OwnMessage,
  ProgramReader,
  ShownCall,
  StreamLine,
} from '../reader.ts'
import { type TokenFields, tokensIn } from '../token-fields.ts'
import { grokSessionFolder, isCopiedEvent } from './program.ts'

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
      return isObject(usage)
        ? { own: { type: 'response', usage: tokensIn(usage, RESPONSE_TOKENS) } }
        : undefined
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
  idsOf({ promptId, streamStartMs, eventId }) {
    const id = asString(promptId)
    if (id === undefined) return undefined
    const digits = /-(\d{1,15})$/.exec(asString(eventId) ?? '')?.[1]
    const number = digits === undefined ? undefined : Number(digits)
    return { promptId: id, messageId: `${id}:${asFiniteNumber(streamStartMs)}`, number }
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

/** Reads the messages that ACP does not have. */
function ownMessage({ method, params, isResponse }: ForeignMessage): OwnMessage | undefined {
  if (isResponse) {
    const promptIndex =
      method === '_x.ai/rewind/execute' &&
      params.success === true &&
      asFiniteNumber(params.target_prompt_index)
    return typeof promptIndex === 'number' ? { type: 'rewound', promptIndex } : undefined
  }
  if (method === '_x.ai/ask_user_question') return { type: 'question', ...questionIn(params) }
  const { update, sessionId, _meta } = params
  return isObject(update)
    ? ownUpdate(update, { sessionId, eventId: asObject(_meta).eventId })
    : { type: 'ignored' }
}

/** Reads the questions of a request, or of the call that asks them. */
function questionIn({ questions }: JsonObject): AskedQuestion {
  const asked = asArray(questions).map(asObject)
  const options = asArray(asked[0]?.options).flatMap((option) => asString(asObject(option).label) ?? [])
  return { title: questionTexts(questions).join('\n'), options }
}

function questionTexts(questions: unknown): readonly string[] {
  return asArray(questions).flatMap((each) => asString(asObject(each).question) ?? [])
}

/** Reads a question from its call that has ended. Its result has the answers in a sentence: `"<question>"="<labels>"`. */
function answeredQuestion({ toolName, input }: ShownCall, rawOutput: unknown): AskedQuestion | undefined {
  const asked = asObject(input)
  if (toolName !== 'ask_user_question' || !Array.isArray(asked.questions)) return undefined
  const words = asString(asObject(asObject(rawOutput).UserAnswered).message)
  const answers = questionTexts(asked.questions).flatMap((text) => answerIn(words ?? '', text) ?? [])
  return omitUndefined({
    ...questionIn(asked),
    answer: answers.length === 0 ? undefined : answers.join(', '),
  })
}

function answerIn(words: string, question: string): string | undefined {
  const start = words.indexOf(`"${question}"="`)
  if (start < 0) return undefined
  const answer = words.slice(start + question.length + 4)
  // Another answer or the end of the sentence follows.
  const end = /"(?:, "|\. You can now |\.?$)/.exec(answer)
  return end ? answer.slice(0, end.index) : undefined
}

/** The ids of the session and of the event. */
interface UpdatePlace {
  readonly sessionId: unknown
  readonly eventId: unknown
}

function ownUpdate(update: JsonObject, { sessionId: ownId, eventId }: UpdatePlace): OwnMessage {
  const sessionId = asString(update.child_session_id) ?? ''
  switch (update.sessionUpdate) {
    case 'subagent_spawned': {
      const { subagent_type, description } = update
      return {
        type: 'agent-started',
        sessionId,
        agentType: asString(subagent_type),
        description: asString(description),
      }
    }
    case 'subagent_finished': {
      const status = update.status === 'completed' ? 'completed' : 'error'
      const output = asString(update.output) ?? asString(update.error)
      return {
        type: 'agent-ended',
        sessionId,
        status,
        output,
        durationMs: asFiniteNumber(update.duration_ms),
      }
    }
    case 'response_completed':
      return { type: 'response', usage: tokensIn(asObject(update.usage), RESPONSE_TOKENS) }
    case 'turn_completed':
      return endOfTurn(update, isCopiedEvent(ownId, eventId))
    case 'retry_state':
      return update.type === 'retrying'
        ? { type: 'retrying', id: `retry:${asString(eventId)}`, reason: asString(update.reason) ?? 'retry' }
        : { type: 'ignored' }
    case 'rewind_marker':
      return { type: 'rewound', promptIndex: asFiniteNumber(update.target_prompt_index) ?? 0 }
    case 'auto_compact_completed':
      return { type: 'compacted', id: `compaction:${asFiniteNumber(update.tokens_before)}` }
    default:
      return { type: 'ignored' }
  }
}

const OUTCOMES: ReadonlyMap<unknown, TurnOutcome> = new Map([
  ['cancelled', 'interrupted'],
  ['interrupted', 'interrupted'],
  ['error', 'failed'],
])

/** Returns how a turn with that reason has ended. */
function outcomeOf(stopReason: unknown): TurnOutcome {
  return OUTCOMES.get(stopReason) ?? 'finished'
}

function endOfTurn({ prompt_id, stop_reason, agent_result, usage }: JsonObject, isCopy: boolean): OwnMessage {
  const outcome = outcomeOf(stop_reason)
  const models = Object.keys(asObject(asObject(usage).modelUsage))
  return {
    type: 'turn-ended',
    promptId: asString(prompt_id) ?? '',
    outcome,
    error: outcome === 'failed' ? asString(agent_result) : undefined,
    model: models.length === 1 ? models[0] : undefined,
    // A turn that fails at once has no tokens. Those of a stopped turn are unknown.
    usage: isObject(usage) || outcome === 'failed' ? tokensIn(asObject(usage), TURN_TOKENS) : undefined,
    cost: costOf(asObject(usage)),
    isCopy,
  }
}

/** The ticks of a US dollar. */
const TICKS = 1e10

function costOf({
  costUsdTicks,
  costIsPartial,
}: JsonObject): { usd: number; isPartial: boolean } | undefined {
  const ticks = asFiniteNumber(costUsdTicks)
  return ticks === undefined ? undefined : { usd: ticks / TICKS, isPartial: costIsPartial === true }
}

const RESPONSE_TOKENS: TokenFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
  reasoningTokens: 'reasoning_tokens',
}

const TURN_TOKENS: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedReadTokens',
  cacheWriteTokens: 'cacheCreationTokens',
  reasoningTokens: 'reasoningTokens',
  holdsCached: true,
}
