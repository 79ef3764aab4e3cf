import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { errorBlockId } from '../../../programs/opencode/error-id.ts'
import { isoTime } from '../../../session/time.ts'
import { MAIN } from '../../../state/session.ts'
import { resumeUnlinkedAgent } from '../agents/unlinked-agents.ts'
import { turnChanges } from '../changes/turn-changes.ts'
import { learnWorktree, updateTurnChanges } from '../changes/worktree.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownMessage } from '../memory.ts'
import { findMessage, forgetMessage, isRemovedMessage, type OwnMessage } from '../records/message.ts'
import { knownSession } from '../records/session.ts'
import { forgetUnstartedTask } from '../records/task.ts'
import { answerTurn, beginTurn, continueTurn, isOlderId } from '../records/turn.ts'
import { takeRequests } from '../requests/known-request.ts'
import type { MessageRef } from '../routing/event-place.ts'
import { rewindBlockId } from './block-ids.ts'
import {
  failureOf,
  forgetUnassignedError,
  rememberError,
  takeBackUnassignedError,
  upsertError,
} from './error.ts'
import { attributeToModel, attributeToUser, translateAgain } from './missed-role.ts'
import { upsertSystemBlock } from './system-block.ts'
import { reportTokens } from './usage.ts'

/** Translates a message's `info`, which OpenCode sends when the message begins, changes and completes. */
export function translateMessage(ref: MessageRef, info: JsonObject, context: OpencodeContext): void {
  if (isRemovedMessage(ref, context)) return
  attributeByInfo(ref, info, context)
  const before = findMessage(ref, context)
  // The batch's own message is a copy of `before`, or a new one with the session's last model, which this message may not have.
  const { isComplete: wasComplete = false, changes = [], model } = before ?? {}
  const isUnattributed = before?.isReported === false
  const message = context.ownMessage(ref)
  mergeInfo(message, model, info)
  if (isUnattributed) translateAgain(ref, message, context)
  if (message.isUser)
    return before ? updateTurnChanges(ref, changes, context) : beginUserMessage(ref, context)
  if (!before) openMessage(ref, context)
  translateAssistantMessage(ref, { info, message, wasComplete }, context)
}

/** A user's info names its message's role, and the model's info names the user message that it answers. */
function attributeByInfo(ref: MessageRef, { role, parentID }: JsonObject, context: OpencodeContext): void {
  if (role === 'user') return attributeToUser(ref, context)
  if (role === 'assistant') attributeToModel(ref, context)
  const messageId = asString(parentID)
  if (messageId !== undefined) attributeToUser({ ...ref, messageId }, context)
}

function beginUserMessage(ref: MessageRef, context: OpencodeContext): void {
  if (isRepeatedPrompt(ref, context)) return
  beginTurn(ref, findMessage(ref, context)?.timestamp, context)
  forgetUnassignedError(ref, context)
}

function mergeInfo(message: OwnMessage, modelBefore: string | undefined, info: JsonObject): void {
  const { created, completed } = asObject(info.time)
  message.isReported = true
  message.isUser = info.role === 'user'
  message.isSummary = info.summary === true
  message.isComplete ||= typeof completed === 'number'
  message.model = asString(info.modelID) ?? modelBefore
  message.timestamp = isoTime(created)
  message.changes = turnChanges(info) ?? message.changes
}

/**
 * Whether a message that is not known by its id began an earlier turn: it is answered already, or older than the model's newest message.
 * It was removed since, or the program wrote it: a state names no message for such a text.
 */
function isRepeatedPrompt({ sessionId, messageId }: MessageRef, context: OpencodeContext): boolean {
  const { answeredMessageId, newestMessageId } = knownSession(sessionId, context)
  return messageId === answeredMessageId || isOlderId(messageId, newestMessageId)
}

function rememberAnswered(
  { sessionId }: MessageRef,
  { parentID }: JsonObject,
  context: OpencodeContext,
): void {
  const answeredMessageId = asString(parentID)
  if (answeredMessageId === undefined) return
  if (answeredMessageId !== knownSession(sessionId, context).answeredMessageId)
    context.ownSession(sessionId).answeredMessageId = answeredMessageId
}

interface AssistantMessage {
  readonly info: JsonObject
  readonly message: KnownMessage
  readonly wasComplete: boolean
}

function translateAssistantMessage(
  ref: MessageRef,
  { info, message, wasComplete }: AssistantMessage,
  context: OpencodeContext,
): void {
  const { conversationId, messageId } = ref
  rememberAnswered(ref, info, context)
  learnWorktree(ref, info, context)
  if (conversationId === MAIN) reportModel(message.model, context)
  reportTokens(ref, { tokens: info.tokens, isFinal: message.isComplete, model: message.model }, context)
  if (isObject(info.error)) {
    const timestamp = isoTime(asObject(info.time).completed)
    takeBackUnassignedError(ref, info.error, context)
    upsertError(info.error, { conversationId, id: errorBlockId(messageId), timestamp }, context)
    rememberError(ref, info.error, info, context)
  }
  if (!message.isComplete || wasComplete) return
  completeMessage(ref, message, context)
  updateTurn(ref, info, context)
}

function reportModel(model: string | undefined, context: OpencodeContext): void {
  if (model !== undefined && model !== context.facts.model) context.updateFacts({ model })
}

/**
 * Begins an assistant message. A session writes one message at a time, so an earlier open message was cut off: the idle event
 * completes its pending blocks.
 */
export function openMessage(ref: MessageRef, context: OpencodeContext): void {
  const { sessionId, conversationId, messageId } = ref
  resumeUnlinkedAgent(ref, context)
  const session = context.ownSession(sessionId)
  if (session.openMessageId !== undefined) context.finalizePending(conversationId)
  session.openMessageId = messageId
  continueTurn(ref, context)
}

/** Completes a message. Its streaming parts will not grow any more: the idle event completes their blocks. */
function completeMessage(ref: MessageRef, message: KnownMessage, context: OpencodeContext): void {
  closeMessage(ref, context)
  const session = context.ownSession(ref.sessionId)
  if (!isOlderId(message.id, session.newestMessageId)) session.newestMessageId = message.id
  if (message.streamingPartIds.length === 0) return
  context.ownMessage(ref).streamingPartIds = []
  context.finalizePending(ref.conversationId)
}

/** Remembers that a complete or removed message is not the open one. */
export function closeMessage({ sessionId, messageId }: MessageRef, context: OpencodeContext): void {
  const { openMessageId } = knownSession(sessionId, context)
  if (openMessageId === messageId) context.ownSession(sessionId).openMessageId = undefined
}

/** A message that ends with calls is no answer: the model goes on after their results, unless the person has refused one. */
function updateTurn(ref: MessageRef, { error, finish, time }: JsonObject, context: OpencodeContext): void {
  const timestamp = isoTime(asObject(time).completed)
  const goesOn = finish === 'tool-calls' && findMessage(ref, context)?.isRefused !== true
  if (!isObject(error) && goesOn) return continueTurn(ref, context)
  const failure = isObject(error) ? failureOf(error) : {}
  answerTurn(ref, omitUndefined({ ...failure, timestamp }), context)
}

/** Removes a message and its blocks. */
export function removeMessage(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message) return
  forgetMessage(ref, context)
  const parts = message.parts.values()
  for (const { subagentCallId } of parts)
    if (subagentCallId !== undefined) forgetUnstartedTask(subagentCallId, context)
  const blockIds = new Set([
    ...parts.flatMap((part) => takeRequests(part.blockIds, ref, context)),
    errorBlockId(message.id),
  ])
  removeBlocks(ref, [...blockIds], context)
  closeMessage(ref, context)
}

/** The next prompt after a revert removes the reverted messages one by one. Main's blocks leave as a branch, which a block marks. */
function removeBlocks(
  { sessionId, conversationId, messageId }: MessageRef,
  blockIds: readonly string[],
  context: OpencodeContext,
): void {
  const { revertMessageId } = knownSession(sessionId, context)
  const isReverted = revertMessageId !== undefined && !isOlderId(messageId, revertMessageId)
  if (!isReverted || conversationId !== MAIN) {
    for (const blockId of blockIds) context.emit({ type: 'block:removed', conversationId, blockId })
    return
  }
  const branchId = rewindBlockId(revertMessageId)
  const message = 'The person rewound the conversation'
  const data = { messageId: revertMessageId }
  context.emit({ type: 'branch:abandoned', branchId, blockIds })
  upsertSystemBlock(conversationId, { id: branchId, subtype: 'rewind', message, data }, context)
}
