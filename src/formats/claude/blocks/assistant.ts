import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { completeAgent, rememberAgent } from '../agents/agents.ts'
import type { ClaudeContext } from '../context.ts'
import { contentParts, texts } from '../lines/content.ts'
import { type Line, lineId, textOf } from '../lines/line.ts'
import type { Turn } from '../memory.ts'
import { reportUsage, tokenUsage, wholeBlock } from './message.ts'
import { completeBlock, retractBlock } from './model-block.ts'
import { note } from './note.ts'
import { beginMessage, hasAnswered } from './turn.ts'

/** The model that the program names where it speaks itself. */
const SYNTHETIC = '<synthetic>'

/** A message of the model, whole or one block of it; the lines of one message share its id. */
export function translateAssistant(line: Line, translation: ClaudeContext): void {
  const { raw, message } = line
  const messageId = asString(message.id) ?? lineId(line, translation)
  for (const superseded of asArray(raw.supersedes)) retractLine(asString(superseded) ?? '', translation)
  if (isApiError(line)) failTurn(line, messageId, translation)
  else if (message.model === SYNTHETIC)
    // What the program says in the model's place is no text of the model.
    note(
      line,
      { subtype: 'synthetic', id: `${messageId}:0`, message: texts(message.content).join('\n') },
      translation,
    )
  else translateModelMessage(line, messageId, translation)
}

function translateModelMessage(line: Line, messageId: string, translation: ClaudeContext): void {
  const { raw, uuid, timestamp, conversationId, message } = line
  const model = asString(message.model)
  const ref = { conversationId, messageId }
  beginMessage(ref, translation)
  reportTokens(line, messageId, translation)
  const parts = contentParts(message.content)
  // A line holds one block, and its index is that block's.
  const index = parts.length === 1 ? asFiniteNumber(raw.apiBlockIndex) : undefined
  const blockIds = parts.map((part) => {
    const blockId = wholeBlock(part, { ...ref, index }, translation)
    completeBlock(part, omitUndefined({ ...ref, blockId, model, timestamp }), translation)
    return blockId
  })
  const { lines } = translation.memory
  if (uuid !== undefined) translation.remember({ lines: lines.with(uuid, { conversationId, blockIds }) })
  if (conversationId !== MAIN) return rememberLastText(line, translation)
  // A stream says it at the beginning of each turn.
  if (translation.memory.isStream) translation.addMissingFacts(omitUndefined({ model }))
  else translation.updateFacts(omitUndefined({ model }))
  translation.remember({ turn: turnAfter(line, translation) })
}

/** Older streams mark it with nothing but the error's kind, or not at all. */
function isApiError({ raw, message }: Line): boolean {
  if (raw.is_api_error_message === true || raw.isApiErrorMessage === true) return true
  if (message.model !== SYNTHETIC) return false
  return typeof raw.error === 'string' || texts(message.content)[0]?.startsWith('API Error') === true
}

/** A line of the model that is read again may know the final tokens: the stream's lines do not, the files' do. */
export function updateTokens(line: Line, translation: ClaudeContext): void {
  const messageId = asString(line.message.id)
  if (line.raw.type === 'assistant' && messageId !== undefined && line.message.model !== SYNTHETIC)
    reportTokens(line, messageId, translation)
}

function reportTokens(
  { conversationId, message }: Line,
  messageId: string,
  translation: ClaudeContext,
): void {
  const isFinal = typeof message.stop_reason === 'string'
  const report = { usage: tokenUsage(asObject(message.usage)), isFinal, model: asString(message.model) }
  reportUsage({ conversationId, messageId }, report, translation)
}

/** A stream says with the end of the message how it ended; old files often do not say it at all. */
function turnAfter({ raw, message }: Line, { memory }: ClaudeContext): Turn {
  if (raw.aborted === true || raw.isAbortedMidStream === true) return 'interrupted'
  if (typeof message.stop_reason === 'string')
    return hasAnswered(message.stop_reason) ? 'answered' : 'running'
  return !memory.isStream && contentParts(message.content).at(-1)?.type === 'text' ? 'answered' : 'running'
}

/** An agent's report is the last text that it wrote. Where no call is known that would tell, it ends with its turn. */
function rememberLastText({ conversationId, message }: Line, translation: ClaudeContext): void {
  const lastText = texts(message.content).at(-1)
  const agent = translation.memory.agents.get(conversationId)
  if (!agent) return
  const heard = lastText === undefined ? agent : { ...agent, lastText, isFailed: false }
  if (heard !== agent) rememberAgent(heard, translation)
  if (agent.parent === undefined && agent.hasCall !== true && hasAnswered(message.stop_reason))
    completeAgent(heard, { status: 'completed', output: lastText }, translation)
}

function failTurn(
  { raw, message, conversationId, timestamp }: Line,
  messageId: string,
  translation: ClaudeContext,
): void {
  translation.upsert(
    conversationId,
    omitUndefined({
      type: 'error',
      id: `${messageId}:0`,
      status: 'error',
      message: texts(message.content).join('\n'),
      code: textOf(raw, 'api_error_type', 'apiErrorType', 'error'),
      timestamp,
    }),
  )
  if (conversationId === MAIN) translation.remember({ turn: 'answered' })
  const agent = translation.memory.agents.get(conversationId)
  if (agent) rememberAgent({ ...agent, isFailed: true }, translation)
}

function retractLine(uuid: string, translation: ClaudeContext): void {
  const place = translation.memory.lines.get(uuid)
  if (!place) return
  const { conversationId } = place
  for (const blockId of place.blockIds) retractBlock(conversationId, blockId, translation)
  translation.remember({ lines: translation.memory.lines.with(uuid, { conversationId, blockIds: [] }) })
}
