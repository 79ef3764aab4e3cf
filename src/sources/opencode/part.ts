import { count, fields, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { PersistentMap } from '../persistent-map.ts'
import { typeName } from '../translation.ts'
import { addStepCost } from './facts.ts'
import {
  type MessageRef,
  messageOf,
  type PartUpdate,
  partOf,
  rememberMessage,
  rememberPart,
  setTurn,
} from './known-message.ts'
import type { KnownPart } from './memory.ts'
import { closeMessage, openMessage } from './message.ts'
import { noteRetry } from './note.ts'
import { isTask, translateTask } from './task.ts'
import { forgetAnnounced } from './task-run.ts'
import { isoTime } from './time.ts'
import { translateTool } from './tool.ts'
import type { Translation } from './translation.ts'
import { reportTokens } from './usage.ts'
import { sayAgain, translateUserPart } from './user.ts'

/** A part of a message, whole or as far as it has come: it replaces what was known of it. */
export function translatePart(ref: MessageRef, update: PartUpdate, translation: Translation): void {
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
      translation.report('unknown-block', `assistant/${typeName(part.type)}`)
  }
}

function translateText(ref: MessageRef, { part, id, eventId }: PartUpdate, translation: Translation): void {
  const before = partOf(ref, id, translation)
  const { start, end } = fields(part.time)
  const isFinal = typeof end === 'number' || typeof start !== 'number'
  if (isRepeated(before, eventId) || (before?.isFinal === true && !isFinal)) return
  const { isSummary, isComplete, model } = messageOf(ref, translation)
  const { conversationId, messageId } = ref
  const status = isFinal || isComplete ? ('complete' as const) : ('pending' as const)
  const said = { id, status, content: text(part.text) ?? '', timestamp: isoTime(start) }
  const type = part.type === 'text' ? ('assistant_text' as const) : ('thinking' as const)
  translation.upsert(
    conversationId,
    isSummary && part.type === 'text'
      ? known({ type: 'user_message' as const, ...said, origin: 'summary' as const })
      : known({ type, ...said, messageId, model }),
  )
  const seen = isFinal ? undefined : withEvent(before, eventId)
  rememberPart(ref, known({ id, blockIds: [id], isFinal, seen }), translation)
  rememberOpen(ref, id, status === 'pending', translation)
}

function isRepeated(part: KnownPart | undefined, eventId: string | undefined): boolean {
  return eventId !== undefined && part?.seen?.get(eventId) !== undefined
}

function withEvent(part: KnownPart | undefined, eventId: string | undefined): PersistentMap<string> {
  const seen = part?.seen ?? new PersistentMap<string>()
  return eventId === undefined ? seen : seen.with(eventId, eventId)
}

function rememberOpen(ref: MessageRef, partId: string, isOpen: boolean, translation: Translation): void {
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
  translation: Translation,
): void {
  if (field !== 'text' || typeof delta !== 'string')
    return translation.report('unknown-block', `delta/${typeName(field)}`)
  const before = partOf(ref, id, translation)
  if (before?.isFinal === true || isRepeated(before, eventId)) return
  const { conversationId } = ref
  translation.emit({ type: 'block:delta', conversationId, blockId: id, delta })
  if (before) rememberPart(ref, { ...before, seen: withEvent(before, eventId) }, translation)
}

export function removePart(ref: MessageRef, partId: string, translation: Translation): void {
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
function beginStep(ref: MessageRef, { id }: PartUpdate, translation: Translation): void {
  if (partOf(ref, id, translation)) return
  if (!messageOf(ref, translation).isTold) openMessage(ref, translation)
  rememberPart(ref, { id, blockIds: [] }, translation)
  setTurn(ref, 'running', translation)
  for (const partId of messageOf(ref, translation).openParts) removePart(ref, partId, translation)
}

/** The end of a step tells its tokens and cost, also where nothing tells of the message or the session. */
function endStep(ref: MessageRef, { part, id }: PartUpdate, translation: Translation): void {
  const message = messageOf(ref, translation)
  reportTokens(ref, { tokens: part.tokens, isFinal: true, model: message.model }, translation)
  if (message.parts.get(id)) return
  rememberPart(ref, { id, blockIds: [] }, translation)
  if (!messageOf(ref, translation).isTold) closeMessage(ref, translation)
  addStepCost(ref.sessionId, count(part.cost) ?? 0, translation)
  setTurn(ref, part.reason === 'tool-calls' ? 'running' : 'answered', translation)
}

function translateRetry(ref: MessageRef, { part, id }: PartUpdate, translation: Translation): void {
  const { message } = fields(fields(part.error).data)
  const timestamp = isoTime(fields(part.time).created)
  const data = { attempt: part.attempt }
  noteRetry(ref.conversationId, { id, message, data, timestamp }, translation)
  rememberPart(ref, { id, blockIds: [id] }, translation)
}
