import { isoTime } from '../../../core/json/iso-time.ts'
import { compareStrings } from '../../../core/json/lists.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { Memory } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import { takeBackTask, translateTask } from '../agents/task.ts'
import type { OpencodeContext } from '../context.ts'
import {
  addToNote,
  findMessage,
  isRemovedPart,
  type Message,
  messageNote,
  modelOfMessage,
  noteMessage,
} from '../messages.ts'
import { type MessageRef, type PartUpdate, sessionNote } from '../place.ts'
import { removePart } from '../removal/removal.ts'
import { answerTurn, closeMessage, continueTurn } from '../turn.ts'
import { callOfPart, isTask, ownsCall, repeatsCall, toolUseIdOf } from './calls.ts'
import { openMessage } from './message.ts'
import { attributeToModel, attributeToUser, isModels, roleOf } from './missed-role.ts'
import { retryBlock } from './system-block.ts'
import { growingTexts, translateText } from './text.ts'
import { translateTool } from './tool.ts'
import { addStepCost, reportTokens } from './usage.ts'
import { translateUserPart } from './user-message.ts'

/** Translates a part of a message, whole or partial. It replaces the part's earlier content. */
export function translatePart(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  if (isRemovedPart(ref, update.id, context)) return
  const known = findMessage(ref, context)
  const message = known?.isReported ? known : assumeRole(ref, update, context)
  if (message?.isUser) translateUserPart(ref, update, context)
  else translateModelPart(ref, update, context)
}

/** Gives a message that has not been reported the role that its parts show. If its first events were missed, it counts as the model's. */
function assumeRole(ref: MessageRef, update: PartUpdate, context: OpencodeContext): Message | undefined {
  const role = roleOf(update.part)
  if (role !== undefined) beginUnreported(ref, update, context)
  if (role === 'assistant') attributeToModel(ref, context)
  else if (role === 'user' && !isModels(ref, context)) attributeToUser(ref, context)
  return findMessage(ref, context)
}

/** Remembers a message of which no event has been read. In an opened state, the part's own block may show the role. */
function beginUnreported(ref: MessageRef, { id }: PartUpdate, memory: Memory<OpencodeContext>): void {
  if (findMessage(ref, memory)) return
  const { sessionId, conversationId } = ref
  const block = memory.state.findBlock(conversationId, id)
  const isUsers = block?.type === 'system' && block.subtype === 'compaction'
  if (isUsers || (block?.type === 'user_message' && block.origin !== 'summary'))
    noteMessage(ref, { isUser: true, timestamp: block.timestamp }, memory)
  else if (block?.type === 'user_message') noteMessage(ref, { isSummary: true, isOpen: true }, memory)
  else
    return noteMessage(
      ref,
      { isUnreported: true, model: sessionNote(sessionId, memory.notes.values).missedModel },
      memory,
    )
  addToNote(ref, 'blockIds', id, memory)
}

function translateModelPart(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { part } = update
  if (part.type === 'tool' && repeatsCall(ref, update, context)) return
  // A retry leaves the text of the first try without an end. The message may be complete since.
  const isOver = findMessage(ref, context)?.isComplete === true
  if (isUnfinished(part) && !isOver && !isKnownPart(ref, update, context)) continueTurn(ref, context)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return translateText(ref, update, context)
    case 'tool':
      return translateCall(ref, update, context)
    case 'step-start':
      return startStep(ref, update, context)
    case 'step-finish':
      return finishStep(ref, update, context)
    case 'retry':
      return translateRetry(ref, update, context)
    // Snapshots of the working folder, which OpenCode uses to revert file changes.
    case 'patch':
    case 'snapshot':
      return
    default:
      context.reportUnknown('unknown-block', `assistant/${typeName(part.type)}`)
  }
}

/** Whether the part still grows, or waits for its result: the model works. */
function isUnfinished({ type, time, state }: JsonObject): boolean {
  if (type === 'tool') return ['pending', 'running'].includes(asString(asObject(state).status) ?? '')
  const { start, end } = asObject(time)
  return (type === 'text' || type === 'reasoning') && typeof start === 'number' && typeof end !== 'number'
}

function isKnownPart(ref: MessageRef, { part, id }: PartUpdate, memory: Memory<OpencodeContext>): boolean {
  const isShown = memory.state.findBlock(ref.conversationId, id) !== undefined
  return isShown || (part.type === 'tool' && ownsCall(ref, part.callID, id, memory.notes))
}

function translateCall(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const toolUseId = toolUseIdOf(ref, update, context)
  if (isTask(update.part)) return translateTask(ref, { update, toolUseId }, context)
  const call = context.state.agents().length === 0 ? undefined : callOfPart(ref, update.id, context)
  if (call?.type === 'subagent') takeBackTask(ref, call.toolUseId, context)
  translateTool(ref, { update, toolUseId }, context)
}

/** A second step of one message is a retry: OpenCode drops the unfinished parts of the first step. */
function startStep(ref: MessageRef, { id }: PartUpdate, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  // A message completes after its steps. This event of a resumed message is a repeated one.
  if (message?.isComplete || hasStep(ref, id, context.notes)) return
  if (!message?.isReported) openMessage(ref, context)
  addToNote(ref, 'steps', id, context)
  continueTurn(ref, context)
  // OpenCode makes ascending part ids. A streaming part with a higher id follows the step, whose event is repeated.
  for (const partId of growingTexts(ref, context))
    if (compareStrings(partId, id) < 0) removePart(ref, partId, context)
}

/** The end of a step holds tokens and cost. In `opencode run` lines no message and no session reports them. */
function finishStep(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  reportTokens(ref, { tokens: part.tokens, isFinal: true, model: modelOfMessage(ref, context) }, context)
  if (message?.isComplete || hasStep(ref, id, context.notes)) return
  addToNote(ref, 'steps', id, context)
  if (!message?.isReported) closeMessage(ref, context.notes)
  addStepCost(ref.sessionId, asFiniteNumber(part.cost) ?? 0, context)
  // A message that is reported ends later, and reports then whether the model goes on.
  const isRefused = messageNote(ref, context.notes)?.isRefused === true
  const goesOn = part.reason === 'tool-calls' && (message?.isReported || !isRefused)
  if (goesOn) continueTurn(ref, context)
  else answerTurn(ref, {}, context)
}

function hasStep(ref: MessageRef, id: string, notes: OpencodeContext['notes']): boolean {
  return messageNote(ref, notes)?.steps?.get(id) === true
}

function translateRetry(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { message } = asObject(asObject(part.error).data)
  const timestamp = isoTime(asObject(part.time).created)
  const data = { attempt: part.attempt }
  context.upsert(ref.conversationId, retryBlock({ id, message, data, timestamp }))
  addToNote(ref, 'blockIds', id, context)
}
