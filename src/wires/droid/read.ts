import { fnv1a } from '../../core/json/checksum.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'
import { readCall, readRefusal, readUserParts, resultOf } from './parts.ts'

// The lines of a session's file, and what becomes of each:
// {"type":"session_start","id","title","owner","version","cwd"}  facts of the session. An agent's names its call: "callingToolUseId"
// {"type":"message","id","timestamp","message":{"role":"user","content":[{"type":"text"|"image"|"document"}]}}  a prompt.
//   `<system-reminder>`, "visibility":"llm_only" and an id `context-…` are the program's words. "user_only" is a notice
// {"message":{"role":"user","content":[{"type":"tool_result","tool_use_id","content","is_error"}]}}  results
// {"message":{"role":"assistant","content":[{"type":"thinking"|"text"|"tool_use"}],"modelId"}}  a reply; one without a call ends the turn
// {"type":"todo_state","todos"}  nothing: the call that writes the plan has it
// {"type":"compaction_state","id","summaryText"}  a compaction
// {"type":"agent_turn_outcome","turnId","reason"}  the end of the turn
// <session>.settings.json: {"model","tokenUsage",…}  the model, and the tokens of all of it
// The lines of `exec -o stream-json` stand above `readStreamLine`.

/** Whether a value is a line that only this program writes. */
export function isDroidLine(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, id, session_id } = value
  switch (type) {
    case 'session_start':
      return (
        typeof id === 'string' &&
        typeof value.title === 'string' &&
        (typeof value.owner === 'string' ||
          (typeof value.cwd === 'string' && typeof value.version === 'number'))
      )
    case 'agent_turn_outcome':
      return typeof value.turnId === 'string' && typeof value.resultKind === 'string'
    case 'compaction_state':
      return typeof id === 'string' && typeof value.summaryText === 'string'
    case 'system':
      return (
        typeof session_id === 'string' && value.reasoning_effort !== undefined && Array.isArray(value.tools)
      )
    case 'message':
    case 'reasoning':
      return typeof session_id === 'string' && typeof id === 'string' && typeof value.timestamp === 'number'
    case 'tool_call':
    case 'tool_result':
      return (
        typeof session_id === 'string' &&
        typeof value.messageId === 'string' &&
        typeof value.toolId === 'string'
      )
    case 'completion':
      return typeof session_id === 'string' && typeof value.finalText === 'string'
    default:
      return false
  }
}

/** Whether the value is the file beside a session, with its settings and its tokens. */
export function isSettings({ type, tokenUsage, model }: JsonObject): boolean {
  return type === undefined && (isObject(tokenUsage) || typeof model === 'string')
}

/** Returns the time of a line: a text in the file, and milliseconds on the stream. */
export function timeOfLine({ timestamp }: JsonObject): string | undefined {
  return asString(timestamp) ?? isoTime(timestamp)
}

/** Reads a line of a session, or the file with its settings. */
export function readLine(line: JsonObject): readonly Step[] | undefined {
  const { type, id } = line
  const time = timeOfLine(line)
  switch (type) {
    case undefined:
      return isSettings(line) ? [readSettings(line)] : undefined
    case 'session_start': {
      const facts = { id: asString(id), cwd: asString(line.lastCwd) ?? asString(line.cwd) }
      return [{ type: 'facts', facts, callId: asString(line.callingToolUseId) }]
    }
    case 'message':
      return isObject(line.message)
        ? readMessage(asString(id) ?? idByContent(line.message, time), line, line.message, time)
        : readStreamLine(line, time)
    case 'compaction_state':
      return [{ type: 'compaction', id: asString(id), summary: asString(line.summaryText), time }]
    case 'agent_turn_outcome':
      return [readOutcome(asString(line.turnId), asString(line.reason))]
    case 'todo_state':
    case 'session_settings':
    case 'session_end':
      return []
    default:
      return readStreamLine(line, time)
  }
}

/** Returns the id of a message that has none. Several may have one time. */
function idByContent(message: JsonObject, time = ''): string {
  return `${time}-${fnv1a(JSON.stringify(message)).toString(36)}`
}

const TOKENS_OF_FILE: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cacheReadTokens',
  cacheWriteTokens: 'cacheCreationTokens',
}

const TOKENS_OF_STREAM: TokenFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
}

function readSettings({ model, tokenUsage }: JsonObject): Step {
  const usage = tokensIn(asObject(tokenUsage), TOKENS_OF_FILE)
  return { type: 'facts', facts: { model: asString(model) }, usage }
}

const DONE: ReadonlySet<string> = new Set(['completed', 'spec_handoff'])
const STOPPED: ReadonlySet<string> = new Set(['cancelled', 'permission_rejected', 'process_exit'])

/** Without the id of the turn, the end is behind the last message. */
function readOutcome(turnId: string | undefined, reason = 'completed'): Step {
  const outcome = DONE.has(reason) ? 'finished' : STOPPED.has(reason) ? 'interrupted' : 'failed'
  return { type: 'stop', id: turnId && `${turnId}:outcome`, outcome, message: reason.replaceAll('_', ' ') }
}

function readMessage(
  id: string,
  line: JsonObject,
  message: JsonObject,
  time: string | undefined,
): readonly Step[] {
  const { role, content, modelId } = message
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject)
  if (role === 'assistant') {
    const shown = parts.flatMap(readReplyPart)
    if (shown.length === 0) return []
    const [first] = shown
    const refusal = first?.type === 'text' ? readRefusal(id, first.text, time) : undefined
    if (refusal) return [refusal]
    return [{ type: 'reply', id, parts: shown, model: asString(modelId), time }]
  }
  const results = parts.flatMap((part) => readToolResult(part, time))
  const given = parts.flatMap(readPromptPart)
  if (given.length === 0) return results
  const visibility = asString(message.visibility) ?? asString(line.visibility)
  const isHidden =
    visibility === 'llm_only' || message.hiddenFromUserViews === true || message.isUserVisible === false
  if (visibility === 'user_only' && !isHidden) {
    const text = given.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    return [...results, { type: 'note', id, subtype: 'notice', message: text, time }]
  }
  const isOwn = isHidden || asString(message.hookEventName) !== undefined || id.startsWith('context-')
  return [...results, ...readUserParts(id, given, isOwn, time)]
}

function readPromptPart(part: JsonObject): readonly UserContentPart[] {
  const { type, text, source } = part
  if (type === 'text' && typeof text === 'string') return text === '' ? [] : [{ type, text }]
  if (type !== 'image' && type !== 'document') return []
  const { data, url, name, mediaType, media_type } = asObject(source)
  if (asObject(source).type === 'text') return typeof data === 'string' ? [{ type: 'text', text: data }] : []
  const kind = asString(media_type) ?? asString(mediaType)
  const at =
    typeof data === 'string'
      ? ({ type: 'base64', mediaType: kind ?? 'image/png', data } as const)
      : ({ type: 'url', url: asString(url) ?? '' } as const)
  if (at.type === 'url' && at.url === '') return []
  return [
    type === 'image'
      ? { type, source: at }
      : omitUndefined({ type: 'file' as const, source: at, name: asString(name) }),
  ]
}

function readReplyPart({ type, id, text, thinking, name, input }: JsonObject): readonly ReplyPart[] {
  if (type === 'tool_use') return typeof id === 'string' ? [readCall(id, asString(name) ?? '', input)] : []
  if (type !== 'text' && type !== 'thinking') return []
  const words = asString(type === 'text' ? text : thinking) ?? ''
  return words.trim() === '' ? [] : [{ type, text: words }]
}

function readToolResult(part: JsonObject, time: string | undefined): readonly Step[] {
  const { type, content } = part
  const callId = asString(part.toolUseId) ?? asString(part.tool_use_id)
  if (type !== 'tool_result' || callId === undefined) return []
  return [resultOf(callId, outputOf(content), (part.isError ?? part.is_error) === true, time)]
}

/** A result is a text, or parts of which the texts count. */
function outputOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? ''
  const texts = content.map((part) => asString(asObject(part).text))
  return texts.every((text) => text !== undefined) ? texts.join('\n') : content
}

// The lines of `exec -o stream-json`, and what becomes of each. A message of the model is in several lines with its id:
// {"type":"system","subtype":"init","cwd","session_id","model"}  facts of the session
// {"type":"message","role":"user","id","text"}  a prompt
// {"type":"reasoning"|"message","id","text"}  a part of a reply. Thinking may come twice
// {"type":"tool_call","id","messageId","toolName","parameters"}  a part of a reply
// {"type":"tool_result","id","isError","value"|"error":{"message"}}  a result
// {"type":"completion","usage"}  the end of the turn, and the tokens of the session so far, with those of its agents
// {"type":"error","message"}  the turn has failed

/** Reads a line of the stream. */
function readStreamLine(line: JsonObject, time: string | undefined): readonly Step[] | undefined {
  const { type, id, messageId, session_id, text, message } = line
  if (typeof session_id !== 'string') return undefined
  switch (type) {
    case 'system':
      return [
        { type: 'facts', facts: { id: session_id, cwd: asString(line.cwd), model: asString(line.model) } },
      ]
    case 'message':
      return readText(line, time)
    case 'reasoning':
      return partOf(id, { type: 'thinking', text: asString(text) ?? '' }, time)
    case 'tool_call': {
      const { toolName, toolId, parameters } = line
      if (typeof id !== 'string') return []
      const name = asString(toolName) ?? asString(toolId) ?? ''
      return partOf(messageId, readCall(id, name, parameters), time)
    }
    case 'tool_result': {
      const { isError, value, error } = line
      if (typeof id !== 'string') return []
      const output = value ?? asObject(error).message ?? asString(error) ?? ''
      return [resultOf(id, output, isError === true, time)]
    }
    case 'completion':
    case 'result':
      return readEnd(line, time)
    case 'error':
      return [
        {
          type: 'stop',
          id: `${session_id}/${time ?? ''}:stop`,
          outcome: 'failed',
          message: asString(message) ?? '',
          time,
        },
      ]
    default:
      return undefined
  }
}

function readText({ id, role, text }: JsonObject, time: string | undefined): readonly Step[] {
  if (typeof id !== 'string') return []
  const words = asString(text) ?? ''
  if (role !== 'assistant') return readUserParts(id, [{ type: 'text', text: words }], false, time)
  const refusal = readRefusal(id, words, time)
  return refusal ? [refusal] : partOf(id, { type: 'text', text: words }, time)
}

function partOf(id: unknown, part: ReplyPart, time: string | undefined): readonly Step[] {
  if (typeof id !== 'string' || (part.type !== 'call' && part.text.trim() === '')) return []
  return [{ type: 'reply', id, parts: [part], isPart: true, time }]
}

function readEnd({ usage, is_error, result }: JsonObject, time: string | undefined): readonly Step[] {
  const tokens = tokensIn(asObject(usage), TOKENS_OF_STREAM)
  const outcome = is_error === true ? 'failed' : 'finished'
  return [
    { type: 'facts', facts: {}, usage: tokens },
    { type: 'stop', outcome, message: asString(result) ?? '', time },
  ]
}
