import { compareStrings } from '../../../json/compare-strings.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import { isoTime } from '../../../session/time.ts'
import { isTask, takeBackTask, translateTask } from '../agents/task-call.ts'
import type { OpencodeContext } from '../context.ts'
import { findPart, isRemovedPart, knownMessage, rememberPart } from '../records/message.ts'
import { adoptResumedPart, claimCall, mayRepeatCall } from '../records/resumed.ts'
import { forgetUnstartedTask } from '../records/task.ts'
import { answerTurn, continueTurn } from '../records/turn.ts'
import { takeRequests } from '../requests/known-request.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { addStepCost } from './cost.ts'
import { closeMessage, openMessage } from './message.ts'
import { attributeToUser, keepUnattributed, provesUser } from './missed-role.ts'
import { upsertRetry } from './system-block.ts'
import { translateText, withoutId } from './text.ts'
import { translateTool } from './tool.ts'
import { reportTokens } from './usage.ts'
import { translateUserPart, upsertUserMessage } from './user-message.ts'

/** Translates a part of a message, whole or partial. It replaces the part's earlier content. */
export function translatePart(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  if (isRemovedPart(ref, update.id, context)) return
  adoptResumedPart(ref, update.id, context)
  const { isReported } = knownMessage(ref, context)
  if (!isReported && provesUser(update.part)) {
    context.ownMessage(ref)
    attributeToUser(ref, context)
  }
  if (knownMessage(ref, context).isUser) translateUserPart(ref, update, context)
  else translateModelPart(ref, update, context)
  keepUnattributed(ref, update, context)
}

function translateModelPart(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { part } = update
  if (isUnfinished(part) && !findPart(ref, update.id, context)) continueTurn(ref, context)
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

function translateCall(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  if (mayRepeatCall(ref, update, context)) return
  claimCall(ref, update, context)
  if (isTask(update.part)) return translateTask(ref, update, context)
  takeBackTask(ref, update.id, context)
  translateTool(ref, update, context)
}

/** Removes a part and its blocks. A user message keeps its block while other parts are left. */
export function removePart(ref: MessageRef, partId: string, context: OpencodeContext): void {
  adoptResumedPart(ref, partId, context)
  const part = findPart(ref, partId, context)
  if (!part) return
  const message = context.ownMessage(ref)
  message.parts = message.parts.without(partId)
  message.streamingPartIds = withoutId(message.streamingPartIds, partId)
  message.removedPartIds = [...(message.removedPartIds ?? []), partId]
  if (part.subagentCallId !== undefined) forgetUnstartedTask(part.subagentCallId, context)
  if (part.content !== undefined && upsertUserMessage(ref, context)) return
  const { conversationId } = ref
  for (const blockId of takeRequests(part.blockIds, ref, context))
    context.emit({ type: 'block:removed', conversationId, blockId })
}

/** A second step of one message is a retry: OpenCode drops the unfinished parts of the first step. */
function startStep(ref: MessageRef, { id }: PartUpdate, context: OpencodeContext): void {
  const { isComplete, isReported } = knownMessage(ref, context)
  // A message completes after its steps. This event of a resumed message is a repeated one.
  if (isComplete || findPart(ref, id, context)) return
  if (!isReported) openMessage(ref, context)
  rememberPart(ref, { id, blockIds: [] }, context)
  continueTurn(ref, context)
  // OpenCode makes ascending part ids. A streaming part with a higher id follows the step, whose event is repeated.
  for (const partId of knownMessage(ref, context).streamingPartIds)
    if (compareStrings(partId, id) < 0) removePart(ref, partId, context)
}

/** The end of a step holds tokens and cost. In `opencode run` lines no message and no session reports them. */
function finishStep(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { model, parts, isReported, isComplete, isRefused } = knownMessage(ref, context)
  reportTokens(ref, { tokens: part.tokens, isFinal: true, model }, context)
  if (parts.get(id)) return
  rememberPart(ref, { id, blockIds: [] }, context)
  if (isComplete) return
  if (!isReported) closeMessage(ref, context)
  addStepCost(ref.sessionId, asFiniteNumber(part.cost) ?? 0, context)
  // A message that is reported ends later, and reports then whether the model goes on.
  const goesOn = part.reason === 'tool-calls' && (isReported || !isRefused)
  if (goesOn) continueTurn(ref, context)
  else answerTurn(ref, {}, context)
}

function translateRetry(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { message } = asObject(asObject(part.error).data)
  const timestamp = isoTime(asObject(part.time).created)
  upsertRetry(ref.conversationId, { id, message, data: { attempt: part.attempt }, timestamp }, context)
  rememberPart(ref, { id, blockIds: [id] }, context)
}
