import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { isPrompt } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isApiErrorText, textsOfParts } from '../../../programs/claude-code/texts.ts'
import { apiTokens } from '../../../programs/token-fields.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { errorBlock } from '../../kit/blocks.ts'
import { endOwnRun, resumeOwnRun } from '../agents/agent-run.ts'
import { withAgentCallIds } from '../agents/register-agent.ts'
import { firstString, type Line, lineId } from '../lines/line.ts'
import { type ClaudeContext, stopCatchingUp } from '../notes.ts'
import { stopExpectingPrompt } from '../prompts/repeated-prompt.ts'
import { identifyBlocks, isKnownMessage, rememberIndex, type WholeBlock } from './model/message-blocks.ts'
import { rememberReported } from './model/message-stream.ts'
import { retractBlock, upsertWholeBlock } from './model/model-block.ts'
import { upsertSystemBlock } from './system-block.ts'
import { abandonCallsBefore, abandonStreamBefore, answerTurn, hasAnswered, interruptTurn } from './turn.ts'
import { reportUsage } from './usage.ts'

/** The model's name in messages that the program writes in the model's place. */
const SYNTHETIC_MODEL = '<synthetic>'

/** Translates a message of the model, or one block of it. The lines of one message share the message's id. */
export function translateAssistantLine(line: Line, context: ClaudeContext): void {
  const { raw, message, conversationId } = line
  const messageId = asString(message.id) ?? lineId(line, context.notes)
  rememberJoinedMessage(line, messageId, context.notes)
  if (conversationId === MAIN) stopExpectingPrompt(context.notes)
  if (!isKnownMessage({ conversationId, messageId }, context)) {
    abandonStreamBefore({ conversationId, messageId }, context)
    if (conversationId !== MAIN) resumeOwnRun(conversationId, context)
  }
  for (const superseded of asArray(raw.supersedes)) retractBlocksOfLine(asString(superseded) ?? '', context)
  if (isApiError(line)) translateApiError(line, messageId, context)
  else if (message.model === SYNTHETIC_MODEL) {
    // The program's text in the model's place is no text of the model.
    const note = { id: `${messageId}:0`, message: textsOfParts(line.parts).join('\n') }
    upsertSystemBlock(line, { subtype: 'synthetic', ...note }, context)
  } else translateModelMessage(line, messageId, context)
}

function translateModelMessage(line: Line, messageId: string, context: ClaudeContext): void {
  const { conversationId } = line
  if (conversationId === MAIN && context.state.isAbandoned(messageId)) return
  if (conversationId === MAIN) rememberReported(messageId, context)
  abandonCallsBefore({ conversationId, messageId }, context)
  reportTokens(line, messageId, context)
  const blocks = wholeBlocksOf(line, messageId, context)
  rememberModelLine(line, blocks, context.notes)
  if (line.isUnnamed && blocks.length > 0)
    context.notes.setEntry('unnamedMessages', context.notes.keyOf(conversationId, messageId), true)
  if (blocks.length > 0 && blocks.every(({ isRepeated }) => isRepeated)) return
  if (conversationId === MAIN) stopCatchingUp(context.notes)
  upsertBlocks(blocks, line, messageId, context)
  // The model answers, so the next message is no summary of a compaction.
  if (context.notes.values.compactedConversation === conversationId)
    context.notes.remember({ compactedConversation: undefined })
  if (conversationId !== MAIN) {
    const output = textsOfParts(line.parts).at(-1)
    if (hasAnswered(line.message.stop_reason, { conversationId, messageId }, context.state))
      endOwnRun(conversationId, { status: 'completed', output }, context)
    return
  }
  const model = modelOf(line, context.state)
  if (model !== undefined && model !== context.state.facts.model) {
    // A stream states the model at the beginning of each turn.
    if (context.notes.values.isStream) context.addMissingFacts({ model })
    else context.updateFacts({ model })
  }
  updateTurn(line, messageId, context)
}

/** Returns the model of a line: the session's text if it is equal, so that the state keeps one copy. */
function modelOf({ message }: Line, { facts }: SessionLookups): string | undefined {
  const model = asString(message.model)
  return model === facts.model ? facts.model : model
}

function wholeBlocksOf(line: Line, messageId: string, context: ClaudeContext): readonly WholeBlock[] {
  const { raw, uuid, conversationId, isUnnamed } = line
  const parts = withAgentCallIds(line.parts, uuid ?? messageId)
  // The line's index counts the line's only block.
  const index = parts.length === 1 ? asFiniteNumber(raw.apiBlockIndex) : undefined
  return identifyBlocks(parts, { conversationId, messageId, index, isUnnamed }, context)
}

/** A later line may supersede as many lines. */
const KEPT_LINES = 16

function rememberModelLine(
  { uuid, conversationId }: Line,
  blocks: readonly WholeBlock[],
  notes: ClaudeContext['notes'],
): void {
  if (uuid === undefined || blocks.length === 0) return
  const { lastModelLines = [] } = notes.values
  const line = { uuid, conversationId, blockIds: blocks.map(({ blockId }) => blockId) }
  notes.remember({ lastModelLines: [...lastModelLines.slice(1 - KEPT_LINES), line] })
}

function upsertBlocks(
  blocks: readonly WholeBlock[],
  line: Line,
  messageId: string,
  context: ClaudeContext,
): void {
  const { timestamp, conversationId } = line
  const model = modelOf(line, context.state)
  for (const { part, blockId, isRepeated } of blocks) {
    const place = { conversationId, messageId, blockId, model, timestamp }
    if (isRepeated) continue
    upsertWholeBlock(part, place, context)
    rememberIndex(blockId, place, context)
  }
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
  rememberJoinedMessage(line, messageId, context.notes)
  if (line.conversationId === MAIN) rememberReported(messageId, context)
  reportTokens(line, messageId, context)
}

/**
 * Remembers the message that a stream's next events may belong to. Only main's messages stream, and the line of a
 * block comes before the message's last events.
 */
function rememberJoinedMessage(
  { raw, conversationId }: Line,
  messageId: string,
  notes: ClaudeContext['notes'],
): void {
  if (conversationId !== MAIN || notes.values.streamingMessages.get(MAIN) !== undefined) return
  const isLive = typeof raw.session_id === 'string' && raw.sessionId === undefined
  notes.remember({ joinedMessage: isLive ? messageId : undefined })
}

function reportTokens(line: Line, messageId: string, output: SessionOutput): void {
  const { raw, conversationId, message } = line
  // No line states later tokens of a message that a person stopped.
  const isFinal = typeof message.stop_reason === 'string' || isStoppedByPerson(raw)
  const report = { usage: apiTokens(asObject(message.usage)), isFinal, model: modelOf(line, output.state) }
  reportUsage({ conversationId, messageId }, report, output)
}

/** A stream states the stop reason at the message's end. Old files often lack it, so a last text may be the answer. */
function updateTurn(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, message, parts, timestamp } = line
  const { stop_reason: stopReason } = message
  const end = omitUndefined({ timestamp })
  if (isStoppedByPerson(raw)) return interruptTurn(line, context)
  if (hasAnswered(stopReason, { conversationId: MAIN, messageId }, context.state))
    return answerTurn(end, context)
  context.turn.start(timestamp)
  if (context.notes.values.isStream || typeof stopReason === 'string') return
  if (parts.at(-1)?.type !== 'text') return
  context.turn.answer(end)
  context.turn.settle()
}

/** Whether the line holds the part of a message that the model had written when a person stopped it. From 2.1.330 on. */
function isStoppedByPerson({ aborted, isAbortedMidStream }: JsonObject): boolean {
  return aborted === true || isAbortedMidStream === true
}

function translateApiError(line: Line, messageId: string, context: ClaudeContext): void {
  const { raw, parts, conversationId, timestamp } = line
  const text = textsOfParts(parts).join('\n')
  const id = `${messageId}:0`
  if (conversationId === MAIN && isOfEarlierTurn(id, context.state)) return
  const code = firstString(raw, 'api_error_type', 'apiErrorType', 'error')
  context.upsert(conversationId, errorBlock({ id, message: text, code, timestamp }, 'error'))
  if (conversationId === MAIN)
    return answerTurn(omitUndefined({ outcome: 'failed', error: text, timestamp }), context)
  endOwnRun(conversationId, { status: 'error', output: text }, context)
}

/** Whether main's block is on an abandoned branch, or above a later prompt: it comes again. */
function isOfEarlierTurn(blockId: string, state: SessionLookups): boolean {
  if (!state.findBlock(MAIN, blockId)) return state.isAbandoned(blockId)
  return state.blocksOf(MAIN).findLast((block) => block.id === blockId || isPrompt(block))?.id !== blockId
}

/** Takes the blocks of a superseded line back. The line adds nothing if it comes again. */
function retractBlocksOfLine(uuid: string, context: ClaudeContext): void {
  const line = context.notes.values.lastModelLines?.find((each) => each.uuid === uuid)
  if (!line) return
  const { conversationId, blockIds } = line
  for (const blockId of blockIds) retractBlock(conversationId, blockId, context)
  context.notes.remember({
    lastModelLines: context.notes.values.lastModelLines?.filter((each) => each !== line),
  })
  context.notes.setEntry('readLines', uuid, true)
}
