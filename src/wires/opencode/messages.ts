import type { Changes } from '../../core/json/fields.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings } from '../../core/json/lists.ts'
import { type BlockOf, isModelText, modelOf } from '../../core/state/block.ts'
import { errorBlockId } from '../../programs/opencode/tool-result.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { PersistentMap, withInner } from '../../reading/notes/persistent-map.ts'
import type { OpencodeContext } from './context.ts'
import type { MessageNote } from './notes.ts'
import type { MessageRef } from './place.ts'
import { isOfEarlierTurn } from './turn.ts'

/** A message, as its note and the state show it. */
export interface Message {
  /** OpenCode has reported the message itself, not only its parts. */
  readonly isReported: boolean
  readonly isUser: boolean
  readonly isSummary: boolean
  /** The model's message is complete. */
  readonly isComplete: boolean
}

/** Returns a message, or undefined before its first event. */
export function findMessage(ref: MessageRef, memory: Memory<OpencodeContext>): Message | undefined {
  const note = messageNote(ref, memory.notes)
  const isSummary = note?.isSummary === true
  if (note?.isOpen) return { isReported: !note.isUnreported, isUser: false, isSummary, isComplete: false }
  const isUser = note?.isUser === true || findPrompt(ref, memory.state) !== undefined
  if (!note && !isUser && !isShown(ref, memory.state)) return undefined
  const isReported = note?.isUnreported !== true
  return { isReported, isUser, isSummary, isComplete: isReported && !isUser }
}

/** Returns the note on a message. */
export function messageNote(
  { sessionId, messageId }: MessageRef,
  notes: OpencodeContext['notes'],
): MessageNote | undefined {
  return notes.values.messages.get(notes.keyOf(sessionId, messageId))
}

/** Changes the note on a message. If the note says nothing, it leaves as soon as the state shows the message. */
export function noteMessage(
  ref: MessageRef,
  changes: Changes<MessageNote>,
  memory: Memory<OpencodeContext>,
): void {
  const before = messageNote(ref, memory.notes)
  const note = omitUndefined(before ? { ...before, ...changes } : changes)
  const key = memory.notes.keyOf(ref.sessionId, ref.messageId)
  const isNeeded =
    Object.keys(note).length > 0 ||
    !(isShown(ref, memory.state) || findPrompt(ref, memory.state) !== undefined)
  if (isNeeded) memory.notes.setEntry('messages', key, note)
  else if (before) memory.notes.removeEntry('messages', key)
}

/** Forgets a message that the state shows, or that was removed. */
export function forgetMessage({ sessionId, messageId }: MessageRef, notes: OpencodeContext['notes']): void {
  notes.removeEntry('messages', notes.keyOf(sessionId, messageId))
}

/** Returns the block with the person's words in a user message. */
export function findPrompt(
  { conversationId, messageId }: MessageRef,
  state: SessionLookups,
): BlockOf<'user_message'> | undefined {
  const block = state.findBlock(conversationId, messageId)
  return block?.type === 'user_message' ? block : undefined
}

/** Whether the state shows a message of the model: by a block that names it, its tokens or its error. */
export function isShown({ conversationId, messageId }: MessageRef, state: SessionLookups): boolean {
  return (
    state.usageOf(conversationId, messageId) !== undefined ||
    state.findBlock(conversationId, errorBlockId(messageId)) !== undefined ||
    state.hasBlocks(conversationId, messageId)
  )
}

/** Returns the model that writes a message. */
export function modelOfMessage(ref: MessageRef, memory: Memory<OpencodeContext>): string | undefined {
  const note = messageNote(ref, memory.notes)
  if (note?.isOpen || note?.isUnreported || note?.model !== undefined) return note.model
  const { conversationId, messageId } = ref
  const { model } = memory.state.usageOf(conversationId, messageId) ?? {}
  return model ?? memory.state.blocksOfMessage(conversationId, messageId).map(modelOf).find(Boolean)
}

/** Returns the blocks of a message that do not name it. */
export function unnamedBlocks(ref: MessageRef, notes: OpencodeContext['notes']): readonly string[] {
  const { blockIds } = messageNote(ref, notes) ?? {}
  return blockIds ? blockIds.entries().map(([id]) => id) : []
}

/** Adds a step, or a block that does not name its message, to the note on a message. */
export function addToNote(
  ref: MessageRef,
  name: NotedIds,
  id: string,
  memory: Memory<OpencodeContext>,
): void {
  const { [name]: known = new PersistentMap<true>() } = messageNote(ref, memory.notes) ?? {}
  const ids = known.with(id, true)
  if (ids !== known) noteMessage(ref, { [name]: memory.notes.open(ids) }, memory)
}

/** Removes a step or a block from the note on a message. */
export function removeFromNote(
  ref: MessageRef,
  name: NotedIds,
  id: string,
  memory: Memory<OpencodeContext>,
): void {
  const { [name]: known } = messageNote(ref, memory.notes) ?? {}
  const ids = known?.without(id)
  if (!ids || (ids === known && !ids.isEmpty)) return
  noteMessage(ref, { [name]: ids.isEmpty ? undefined : memory.notes.open(ids) }, memory)
}

type NotedIds = 'steps' | 'blockIds'

/** Remembers that a message or part was removed. */
export function noteRemoved(sessionId: string, id: string, notes: OpencodeContext['notes']): void {
  notes.setEntry('removed', notes.keyOf(sessionId, id), true)
}

/** Whether OpenCode has removed the message or part. */
export function wasRemoved(sessionId: string, id: string, notes: OpencodeContext['notes']): boolean {
  const { removed } = notes.values
  return !removed.isEmpty && removed.get(notes.keyOf(sessionId, id)) !== undefined
}

/**
 * Whether the message or part was removed, or the person has reverted it. OpenCode never uses its id again: an event
 * of it is a repeated one.
 */
export function isRemoved(sessionId: string, id: string, memory: Memory<OpencodeContext>): boolean {
  return wasRemoved(sessionId, id, memory.notes) || memory.state.isAbandoned(id)
}

/**
 * Whether a message was removed. An opened state shows all messages before its newest one, so an older one that it
 * does not show was removed before that state.
 */
export function isRemovedMessage(ref: MessageRef, memory: Memory<OpencodeContext>): boolean {
  if (isRemoved(ref.sessionId, ref.messageId, memory)) return true
  const { isReopened = false } = memory.notes.values
  return isReopened && isOfEarlierTurn(ref, memory.notes.values) && !findMessage(ref, memory)
}

/** Whether the part, or its message, was removed. */
export function isRemovedPart(ref: MessageRef, partId: string, memory: Memory<OpencodeContext>): boolean {
  return isRemovedMessage(ref, memory) || isRemoved(ref.sessionId, partId, memory)
}

/**
 * Whether a text without a block was removed before the state that the session was opened with. OpenCode makes
 * ascending part ids: the state would show the text before the last one of its message.
 */
export function isRemovedText(
  { conversationId, messageId }: MessageRef,
  partId: string,
  memory: Memory<OpencodeContext>,
): boolean {
  if (!memory.notes.values.isReopened || memory.state.findBlock(conversationId, partId)) return false
  const last = memory.state.blocksOfMessage(conversationId, messageId).findLast(isModelText)
  return last !== undefined && compareStrings(partId, last.id) < 0
}

/** A part of a session. */
export type PartRef = Pick<MessageRef, 'sessionId' | 'conversationId'> & { readonly partId: string }

/** Whether the text of a part is there and whole. Later deltas and partial updates of the part are repeated ones. */
export function isWhole(
  { sessionId, conversationId, partId }: PartRef,
  memory: Memory<OpencodeContext>,
): boolean {
  if (memory.state.findBlock(conversationId, partId) === undefined) return false
  return memory.notes.values.partEvents.get(memory.notes.keyOf(sessionId, partId)) === undefined
}

/** Whether the event is one of those that built a part that still grows. A reconnected client receives it again. */
export function isRepeatedEvent(
  { sessionId, partId }: PartRef,
  eventId: string | undefined,
  notes: OpencodeContext['notes'],
): boolean {
  if (eventId === undefined) return false
  return notes.values.partEvents.get(notes.keyOf(sessionId, partId))?.get(eventId) !== undefined
}

/** Remembers an event that built a part. The part still grows. */
export function notePartEvent(
  { sessionId, partId }: PartRef,
  eventId: string | undefined,
  notes: OpencodeContext['notes'],
): void {
  const { partEvents } = notes.values
  const map = notes.keyOf(sessionId, partId)
  if (eventId !== undefined)
    notes.remember({ partEvents: withInner(partEvents, { map, key: eventId }, true, notes) })
  else if (!partEvents.get(map)) notes.setEntry('partEvents', map, new PersistentMap())
}

/** Forgets the growth of a part that has come whole, or was removed. */
export function forgetGrowth({ sessionId, partId }: PartRef, notes: OpencodeContext['notes']): void {
  const { partEvents, textPlaces } = notes.values
  if (partEvents.isEmpty && textPlaces.isEmpty) return
  const key = notes.keyOf(sessionId, partId)
  if (partEvents.get(key)) notes.removeEntry('partEvents', key)
  if (textPlaces.get(key)) notes.removeEntry('textPlaces', key)
}
