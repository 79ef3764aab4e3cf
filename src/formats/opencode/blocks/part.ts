import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import { typeName } from '../../translation/context.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import { isTask, translateTask } from '../agents/task.ts'
import { forgetAnnounced } from '../agents/task-run.ts'
import type { OpencodeContext } from '../context.ts'
import { addStepCost } from '../events/facts.ts'
import { isoTime } from '../events/time.ts'
import type { KnownPart } from '../memory.ts'
import {
  type MessageRef,
  messageOf,
  type PartUpdate,
  partOf,
  rememberMessage,
  rememberPart,
  setTurn,
} from './known-message.ts'
import { closeMessage, openMessage } from './message.ts'
import { noteRetry } from './note.ts'
import { translateTool } from './tool.ts'
import { reportTokens } from './usage.ts'
import { sayAgain, translateUserPart } from './user.ts'

/** A part of a message, whole or as far as it has come: it replaces what was known of it. */
export function translatePart(ref: MessageRef, update: PartUpdate, translation: OpencodeContext): void {
  const { part } = update
  if (messageOf(ref, translation).isUser) return translateUserPart(ref, update, translation)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return translateText(ref, update, translation)
    case 'tool':
      return isTask(part) ? translateTask(ref, update, translation) : translateTool(ref, update, translation)
    case 'step-start':
      return beginStep(ref, update, translation)
    case 'step-finish':
      return endStep(ref, update, translation)
    case 'retry':
      return translateRetry(ref, update, translation)
    // Book-keeping of the program: which files it changed, and how to have them back.
    case 'patch':
    case 'snapshot':
      return
    default:
      translation.reportUnknown('unknown-block', `assistant/${typeName(part.type)}`)
  }
}

function translateText(
  ref: MessageRef,
  { part, id, eventId }: PartUpdate,
  translation: OpencodeContext,
): void {
  const before = partOf(ref, id, translation)
  const { start, end } = asObject(part.time)
  const isFinal = typeof end === 'number' || typeof start !== 'number'
  if (isRepeated(before, eventId) || (before?.isFinal === true && !isFinal)) return
  const { isSummary, isComplete, model } = messageOf(ref, translation)
  const { conversationId, messageId } = ref
  const status = isFinal || isComplete ? ('complete' as const) : ('pending' as const)
  const said = { id, status, content: asString(part.text) ?? '', timestamp: isoTime(start) }
  const type = part.type === 'text' ? ('assistant_text' as const) : ('thinking' as const)
  translation.upsert(
    conversationId,
    isSummary && part.type === 'text'
      ? omitUndefined({ type: 'user_message' as const, ...said, origin: 'summary' as const })
      : omitUndefined({ type, ...said, messageId, model }),
  )
  const seen = isFinal ? undefined : withEvent(before, eventId)
  rememberPart(ref, omitUndefined({ id, blockIds: [id], isFinal, seen }), translation)
  rememberOpen(ref, id, status === 'pending', translation)
}

function isRepeated(part: KnownPart | undefined, eventId: string | undefined): boolean {
  return eventId !== undefined && part?.seen?.get(eventId) !== undefined
}

function withEvent(part: KnownPart | undefined, eventId: string | undefined): PersistentMap<string> {
  const seen = part?.seen ?? new PersistentMap<string>()
  return eventId === undefined ? seen : seen.with(eventId, eventId)
}

function rememberOpen(ref: MessageRef, partId: string, isOpen: boolean, translation: OpencodeContext): void {
  const message = messageOf(ref, translation)
  if (message.openParts.includes(partId) === isOpen) return
  const openParts = isOpen
    ? [...message.openParts, partId]
    : message.openParts.filter((open) => open !== partId)
  rememberMessage(ref, { ...message, openParts }, translation)
}

/** More text of a part; what the part says as a whole later counts more. */
export function translateDelta(
  ref: MessageRef,
  { part: { field, delta }, id, eventId }: PartUpdate,
  translation: OpencodeContext,
): void {
  if (field !== 'text' || typeof delta !== 'string')
    return translation.reportUnknown('unknown-block', `delta/${typeName(field)}`)
  const before = partOf(ref, id, translation)
  if (before?.isFinal === true || isRepeated(before, eventId)) return
  const { conversationId } = ref
  translation.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  if (before) rememberPart(ref, { ...before, seen: withEvent(before, eventId) }, translation)
}

export function removePart(ref: MessageRef, partId: string, translation: OpencodeContext): void {
  const message = messageOf(ref, translation)
  const part = message.parts.get(partId)
  if (!part) return
  const openParts = message.openParts.filter((open) => open !== partId)
  rememberMessage(ref, { ...message, parts: message.parts.without(partId), openParts }, translation)
  if (part.callId !== undefined) forgetAnnounced(part.callId, translation)
  if (part.content !== undefined && sayAgain(ref, translation)) return
  const { conversationId } = ref
  for (const blockId of part.blockIds) translation.emit({ type: 'block:removed', conversationId, blockId })
}

/** A second step of one message is another try: the program drops what the first left unfinished. */
function beginStep(ref: MessageRef, { id }: PartUpdate, translation: OpencodeContext): void {
  if (partOf(ref, id, translation)) return
  if (!messageOf(ref, translation).isTold) openMessage(ref, translation)
  rememberPart(ref, { id, blockIds: [] }, translation)
  setTurn(ref, 'running', translation)
  for (const partId of messageOf(ref, translation).openParts) removePart(ref, partId, translation)
}

/** The end of a step tells its tokens and cost, also where nothing tells of the message or the session. */
function endStep(ref: MessageRef, { part, id }: PartUpdate, translation: OpencodeContext): void {
  const message = messageOf(ref, translation)
  reportTokens(ref, { tokens: part.tokens, isFinal: true, model: message.model }, translation)
  if (message.parts.get(id)) return
  rememberPart(ref, { id, blockIds: [] }, translation)
  if (!messageOf(ref, translation).isTold) closeMessage(ref, translation)
  addStepCost(ref.sessionId, asFiniteNumber(part.cost) ?? 0, translation)
  setTurn(ref, part.reason === 'tool-calls' ? 'running' : 'answered', translation)
}

function translateRetry(ref: MessageRef, { part, id }: PartUpdate, translation: OpencodeContext): void {
  const { message } = asObject(asObject(part.error).data)
  const timestamp = isoTime(asObject(part.time).created)
  const data = { attempt: part.attempt }
  noteRetry(ref.conversationId, { id, message, data, timestamp }, translation)
  rememberPart(ref, { id, blockIds: [id] }, translation)
}
