import { omitUndefined } from '../../../core/json/fields.ts'
import { isoTime } from '../../../core/json/iso-time.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { errorBlockId } from '../../../programs/opencode/tool-result.ts'
import type { Memory } from '../../../reading/context.ts'
import type { TurnEnd } from '../../../reading/turn.ts'
import { resumeUnlinkedAgent, reviseEnd } from '../agents/task.ts'
import type { OpencodeContext } from '../context.ts'
import { isOlderId } from '../event.ts'
import {
  findMessage,
  forgetMessage,
  isRemovedMessage,
  isShown,
  type Message,
  messageNote,
  modelOfMessage,
  noteMessage,
} from '../messages.ts'
import { type MessageRef, noteSession, sessionNote } from '../place.ts'
import { answerTurn, beginTurn, continueTurn } from '../turn.ts'
import { attributeToModel, attributeToUser, showModelAgain, showUserAgain } from './missed-role.ts'
import { blockOfError, failureOf, takeBackUnassignedError } from './system-block.ts'
import { growingTexts } from './text.ts'
import { noteTurnChanges, noteWorktree } from './turn-changes.ts'
import { reportTokens } from './usage.ts'
import { refreshUserMessage } from './user-message.ts'

/** Translates a message's `info`, which OpenCode sends when the message begins, changes and completes. */
export function translateMessage(ref: MessageRef, info: JsonObject, context: OpencodeContext): void {
  if (isRemovedMessage(ref, context)) return
  const known = findMessage(ref, context)
  const isAssumed = known?.isReported === false
  if (isAssumed && info.role === 'user') attributeToUser(ref, context)
  else if (isAssumed && info.role === 'assistant') attributeToModel(ref, context)
  const before = isAssumed ? findMessage(ref, context) : known
  if (info.role === 'user') translateUserInfo(ref, info, before, context)
  else translateModelInfo(ref, info, before, context)
}

function translateUserInfo(
  ref: MessageRef,
  info: JsonObject,
  before: Message | undefined,
  context: OpencodeContext,
): void {
  const timestamp = isoTime(asObject(info.time).created)
  const hasNewChanges = noteTurnChanges(ref, info, context)
  if (!before?.isReported) noteMessage(ref, { isUnreported: undefined, isUser: true, timestamp }, context)
  if (!before && !isRepeatedPrompt(ref, context.notes.values)) beginTurn(ref, timestamp, context)
  if (!before) return
  if (!before.isReported) showUserAgain(ref, context)
  else if (hasNewChanges) refreshUserMessage(ref, context)
}

/**
 * Whether a message that is not known by its id began an earlier turn: it is answered already, or older than the
 * model's newest message. It was removed since, or the program wrote it: a state names no message for such a text.
 */
function isRepeatedPrompt(
  { sessionId, messageId }: MessageRef,
  notes: OpencodeContext['notes']['values'],
): boolean {
  const { answeredMessage, newestMessage } = sessionNote(sessionId, notes)
  return messageId === answeredMessage || isOlderId(messageId, newestMessage)
}

function translateModelInfo(
  ref: MessageRef,
  info: JsonObject,
  before: Message | undefined,
  context: OpencodeContext,
): void {
  noteAnswered(ref, info, context)
  const wasComplete = before?.isComplete === true
  const isComplete = wasComplete || typeof asObject(info.time).completed === 'number'
  const model = asString(info.modelID) ?? (before && modelOfMessage(ref, context))
  if (!wasComplete) noteOpenMessage(ref, model, info, context)
  if (before?.isReported === false) showModelAgain(ref, context)
  if (!before) openMessage(ref, context)
  for (const prompt of noteWorktree(ref, info, context.notes)) refreshUserMessage(prompt, context)
  if (ref.conversationId === MAIN) context.updateFacts({ model })
  reportTokens(ref, { tokens: info.tokens, isFinal: isComplete, model }, context)
  if (isObject(info.error)) showError(ref, info.error, info, context)
  if (!isComplete || wasComplete) return
  completeMessage(ref, context)
  updateTurn(ref, info, context)
  noteCompleteMessage(ref, context)
}

function noteOpenMessage(
  ref: MessageRef,
  model: string | undefined,
  info: JsonObject,
  memory: Memory<OpencodeContext>,
): void {
  const before = messageNote(ref, memory.notes)
  const isSummary = info.summary === true ? true : undefined
  if (before?.isOpen && before.model === model && before.isSummary === isSummary) return
  const facts = { isOpen: true, model, isSummary }
  noteMessage(ref, before ? { ...facts, isUnreported: undefined, isUser: undefined } : facts, memory)
}

/** The state shows a complete message, but for blocks that do not name it. A late part is the first to have the model. */
function noteCompleteMessage(ref: MessageRef, memory: Memory<OpencodeContext>): void {
  const { blockIds, isSummary, model } = messageNote(ref, memory.notes) ?? {}
  if (!blockIds && isShown(ref, memory.state)) return forgetMessage(ref, memory.notes)
  const facts = { isOpen: undefined, isRefused: undefined, steps: undefined }
  const rest = { isSummary: blockIds && isSummary, model: isShown(ref, memory.state) ? undefined : model }
  noteMessage(ref, { ...facts, ...rest }, memory)
}

/** The model's info names the user message that it answers, which may be known by its parts alone. */
function noteAnswered(ref: MessageRef, { parentID }: JsonObject, context: OpencodeContext): void {
  const messageId = asString(parentID)
  if (
    messageId === undefined ||
    messageId === sessionNote(ref.sessionId, context.notes.values).answeredMessage
  )
    return
  attributeToUser({ ...ref, messageId }, context)
  noteSession(ref.sessionId, { answeredMessage: messageId }, context.notes)
}

function showError(ref: MessageRef, error: JsonObject, info: JsonObject, context: OpencodeContext): void {
  const { conversationId, messageId } = ref
  const timestamp = isoTime(asObject(info.time).completed)
  takeBackUnassignedError(ref, error, context)
  context.upsert(conversationId, blockOfError(errorBlockId(messageId), error, timestamp))
}

/**
 * Begins an assistant message. A session writes one message at a time, so an earlier open message was cut off: the
 * idle event completes its pending blocks.
 */
export function openMessage(ref: MessageRef, context: OpencodeContext): void {
  const { sessionId, conversationId, messageId } = ref
  resumeUnlinkedAgent(ref, context)
  if (sessionNote(sessionId, context.notes.values).openMessage !== undefined)
    context.finalizePending(conversationId)
  noteSession(sessionId, { openMessage: messageId }, context.notes)
  continueTurn(ref, context)
}

/** Completes a message. Its streaming parts will not grow any more: the idle event completes their blocks. */
function completeMessage(ref: MessageRef, context: OpencodeContext): void {
  const { sessionId, messageId } = ref
  const { openMessage: open, newestMessage: newest } = sessionNote(sessionId, context.notes.values)
  const openMessage = open === messageId ? undefined : open
  const newestMessage = isOlderId(messageId, newest) ? newest : messageId
  noteSession(sessionId, { openMessage, newestMessage }, context.notes)
  if (growingTexts(ref, context).length > 0) context.finalizePending(ref.conversationId)
}

/** A message that ends with calls is no answer: the model goes on after their results, unless the person has refused one. */
function updateTurn(ref: MessageRef, { error, finish, time }: JsonObject, context: OpencodeContext): void {
  const timestamp = isoTime(asObject(time).completed)
  const goesOn = finish === 'tool-calls' && messageNote(ref, context.notes)?.isRefused !== true
  if (!isObject(error) && goesOn) return continueTurn(ref, context)
  const failure: TurnEnd = isObject(error) ? failureOf(error) : {}
  answerTurn(ref, omitUndefined({ ...failure, timestamp }), context)
  if (failure.outcome === 'failed') reviseEnd(ref, context)
}
