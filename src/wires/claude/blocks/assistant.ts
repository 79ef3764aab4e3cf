import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { textsOfParts } from '../../../programs/claude-code/texts.ts'
import { MAIN } from '../../../state/session.ts'
import { withAgentCallIds } from '../agents/agent-call.ts'
import { completeAgent } from '../agents/agent-run.ts'
import { storeAgent } from '../agents/register-agent.ts'
import type { ClaudeContext } from '../context.ts'
import { isApiErrorText } from '../lines/api-error.ts'
import { firstString, type Line, lineId } from '../lines/line.ts'
import { blockIdsOf } from '../lines/line-tree.ts'
import { stopExpectingPrompt } from '../prompts/late-prompt.ts'
import { retractBlock, upsertWholeBlock } from './model/model-block.ts'
import { isKnownMessage, type RecordedBlock, recordWholeBlocks } from './model/model-message.ts'
import { upsertSystemBlock } from './system-block.ts'
import { abandonCallsBefore, abandonStreamBefore, answerTurn, hasAnswered, interruptTurn } from './turn.ts'
import { reportUsage, tokenUsage } from './usage.ts'

/** The model's name in messages that the program writes in the model's place. */
const SYNTHETIC_MODEL = '<synthetic>'

/** Translates a message of the model, or one block of it. The lines of one message share the message's id. */
export function translateAssistantLine(line: Line, context: ClaudeContext): void {
  const { raw, message, conversationId } = line
  const messageId = asString(message.id) ?? lineId(line, context)
  rememberJoinedMessage(line, messageId, context)
  if (conversationId === MAIN) stopExpectingPrompt(context)
  if (!isKnownMessage({ conversationId, messageId }, context))
    abandonStreamBefore({ conversationId, messageId }, context)
  for (const superseded of asArray(raw.supersedes)) retractBlocksOfLine(asString(superseded) ?? '', context)
  if (isApiError(line)) translateApiError(line, messageId, context)
  else if (message.model === SYNTHETIC_MODEL) translateSyntheticMessage(line, messageId, context)
  else translateModelMessage(line, messageId, context)
}

function translateModelMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const { conversationId } = line
  abandonCallsBefore({ conversationId, messageId }, context)
  reportTokens(line, messageId, context)
  const blocks = recordBlocks(line, messageId, context)
  context.setModelBlocks(blocks.map(({ blockId }) => blockId))
  if (blocks.length > 0 && blocks.every(({ isRepeated }) => isRepeated)) return
  upsertBlocks(blocks, line, messageId, context)
  // The model answers, so the next message is no summary of a compaction.
  if (context.memory.compactedConversation === conversationId)
    context.remember({ compactedConversation: undefined })
  if (conversationId !== MAIN) return rememberLastText(line, context)
  const model = modelOf(line, context)
  if (model !== undefined && model !== context.facts.model) reportModel(model, context)
  updateTurn(line, context)
}

/** Returns the model of a line: the session's text if it is equal, so that the state and the memory keep one copy. */
function modelOf({ message }: Line, { facts }: ClaudeContext): string | undefined {
  const model = asString(message.model)
  return model === facts.model ? facts.model : model
}

/** A stream states the model at the beginning of each turn. */
function reportModel(model: string, context: ClaudeContext): void {
  if (context.memory.isStream) context.addMissingFacts({ model })
  else context.updateFacts({ model })
}

function recordBlocks(line: Line, messageId: string, context: ClaudeContext): readonly RecordedBlock[] {
  const { raw, uuid, conversationId, isUnnamed } = line
  const parts = withAgentCallIds(line.parts, uuid ?? messageId)
  // The line's index counts the line's only block.
  const index = parts.length === 1 ? asFiniteNumber(raw.apiBlockIndex) : undefined
  return recordWholeBlocks(parts, { conversationId, messageId, index, isUnnamed }, context)
}

function upsertBlocks(
  blocks: readonly RecordedBlock[],
  line: Line,
  messageId: string,
  context: ClaudeContext,
): void {
  const { timestamp, conversationId } = line
  const model = modelOf(line, context)
  for (const { part, blockId, isRepeated } of blocks) {
    const place = { conversationId, messageId, blockId, model, timestamp }
    if (!isRepeated) upsertWholeBlock(part, place, context)
  }
}

/** The program's text in the model's place is no text of the model. */
function translateSyntheticMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const message = textsOfParts(line.parts).join('\n')
  upsertSystemBlock(line, { subtype: 'synthetic', id: `${messageId}:0`, message }, context)
}

/** Older streams mark an API error only with its kind, or with nothing but the text. */
function isApiError({ raw, message, parts }: Line): boolean {
  if (raw.is_api_error_message === true || raw.isApiErrorMessage === true) return true
  if (message.model !== SYNTHETIC_MODEL) return false
  return typeof raw.error === 'string' || isApiErrorText(textsOfParts(parts)[0])
}

/** Updates the tokens of a repeated line: a file's line may hold the final ones, a stream's line does not. */
export function updateTokens(line: Line, context: ClaudeContext): void {
  const messageId = asString(line.message.id)
  if (line.raw.type !== 'assistant' || messageId === undefined || line.message.model === SYNTHETIC_MODEL)
    return
  rememberJoinedMessage(line, messageId, context)
  reportTokens(line, messageId, context)
}

/**
 * Remembers the message that a stream's next events may belong to. Only main's messages stream. In a stream, the line of a block comes
 * before the message's last events. In a file, only a call shows that the message may not have ended.
 */
function rememberJoinedMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, conversationId, parts } = line
  if (conversationId !== MAIN) return
  const { streamingMessages, joinedMessage, unfinishedMessage } = context.memory
  if (streamingMessages.get(MAIN) !== undefined) return
  const isLive = typeof raw.session_id === 'string' && raw.sessionId === undefined
  const isCall = parts.at(-1)?.type === 'tool_use'
  const joined = isLive ? messageId : undefined
  const unfinished = !isLive && isCall ? messageId : undefined
  if (joined === joinedMessage && unfinished === unfinishedMessage) return
  const memory = context.edit()
  memory.joinedMessage = joined
  memory.unfinishedMessage = unfinished
}

function reportTokens(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, conversationId, message } = line
  // No line states later tokens of a message that a person stopped.
  const isFinal = typeof message.stop_reason === 'string' || isStoppedByPerson(raw)
  const report = { usage: tokenUsage(asObject(message.usage)), isFinal, model: modelOf(line, context) }
  reportUsage({ conversationId, messageId }, report, context)
}

/** A stream states the stop reason at the message's end. Old files often lack it, so a last text may be the answer. */
function updateTurn(line: Line, context: ClaudeContext): void {
  const { raw, message, parts, timestamp } = line
  const { stop_reason: stopReason } = message
  const end = omitUndefined({ timestamp })
  if (isStoppedByPerson(raw)) return interruptTurn(line, context)
  if (hasAnswered(stopReason)) return answerTurn(end, context)
  context.startTurn(timestamp)
  if (context.memory.isStream || typeof stopReason === 'string') return
  if (parts.at(-1)?.type === 'text') context.answerTurn(end)
}

/** Whether the line holds the part of a message that the model had written when a person stopped it. From 2.1.330 on. */
function isStoppedByPerson({ aborted, isAbortedMidStream }: JsonObject): boolean {
  return aborted === true || isAbortedMidStream === true
}

/** An agent without a known call ends with its turn, because no result reports its end. */
function rememberLastText({ conversationId, message, parts }: Line, context: ClaudeContext): void {
  const before = context.memory.agents.get(conversationId)
  if (!before) return
  const lastText = textsOfParts(parts).at(-1)
  if (lastText !== undefined) context.setEntry('lastTexts', conversationId, lastText)
  const hasWorkedOn = before.hasStopHook || (lastText !== undefined && before.hasFailedRequest)
  const agent = hasWorkedOn ? withChanges(before, { hasFailedRequest: false, hasStopHook: false }) : before
  if (agent !== before) storeAgent(agent, context)
  if (agent.parent === undefined && agent.hasCall !== true && hasAnswered(message.stop_reason))
    completeAgent(agent, { status: 'completed', output: lastText }, context)
}

function translateApiError(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, parts, conversationId, timestamp } = line
  const text = textsOfParts(parts).join('\n')
  context.upsert(
    conversationId,
    omitUndefined({
      type: 'error',
      id: `${messageId}:0`,
      status: 'error',
      message: text,
      code: firstString(raw, 'api_error_type', 'apiErrorType', 'error'),
      timestamp,
    }),
  )
  if (conversationId === MAIN)
    answerTurn(omitUndefined({ outcome: 'failed', error: text, timestamp }), context)
  const agent = context.memory.agents.get(conversationId)
  if (agent) storeAgent(withChanges(agent, { hasFailedRequest: true }), context)
}

function retractBlocksOfLine(uuid: string, context: ClaudeContext): void {
  const line = context.memory.readLines.get(uuid)
  if (!line) return
  const { conversationId } = line
  for (const blockId of blockIdsOf(line)) retractBlock(conversationId, blockId, context)
  context.setEntry('readLines', uuid, context.lineWithoutBlocks(conversationId))
}
