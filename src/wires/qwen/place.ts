import { omitUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, isCall } from '../../core/state/block.ts'
import { numberedId, numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { QwenContext } from './notes.ts'

// The place makes the ids of texts, `<id of the last prompt or call>:<n>`, and those of messages, `<id of the prompt
// or call before it>:message:<n>`.

type Place = NonNullable<ReturnType<QwenContext['notes']['values']['places']['get']>>

/** Returns the place that a conversation has reached. */
export function placeOf(conversationId: string, memory: Memory<QwenContext>): Place {
  return memory.notes.values.places.get(conversationId) ?? placeInState(conversationId, memory.state)
}

/** Returns the place behind the last block of a conversation. */
function placeInState(conversationId: string, state: SessionLookups): Place {
  const blocks = state.blocksOf(conversationId)
  const at = blocks.findLastIndex((block) => idOfPlace(block) !== undefined)
  const anchor = blocks[at]
  const later = blocks.slice(at + 1)
  const unprompted = later.findLast((block) => turnOf(block.id) !== undefined)
  const id = (unprompted && turnOf(unprompted.id)) ?? (anchor && idOfPlace(anchor)) ?? 'start'
  const last = (ids: readonly (string | undefined)[], beginning: string) =>
    ids.reduce((next, each) => Math.max(next, numberAfter(beginning, each) + 1), 0)
  return {
    id,
    blocks: last(
      later.map((block) => block.id),
      `${id}:`,
    ),
    messages: last(
      later.map((block) => ('messageId' in block ? block.messageId : undefined)),
      `${id}:message:`,
    ),
  }
}

/** Returns the place of a block behind a prompt of main. The stream may lack the prompt, and then its number alone is the place. */
export function turnOf(blockId: string): string | undefined {
  const [, place] = /^(.+):\d+$/.exec(blockId) ?? []
  return place !== undefined && numberOfId(place) !== undefined ? place : undefined
}

function numberAfter(beginning: string, id = ''): number {
  const rest = id.startsWith(beginning) ? id.slice(beginning.length) : ''
  return /^\d+$/.test(rest) ? Number(rest) : -1
}

function idOfPlace(block: ConversationBlock): string | undefined {
  if (block.type === 'user_message') return block.origin === undefined ? block.id : undefined
  return isCall(block) ? block.toolUseId : undefined
}

/** Moves to a prompt or a call. A call belongs to the message that is being built. */
export function moveTo(conversationId: string, id: string, memory: Memory<QwenContext>): void {
  const { messageId, isOpen } = placeOf(conversationId, memory)
  memory.notes.setEntry(
    'places',
    conversationId,
    omitUndefined({ id, blocks: 0, messages: 0, messageId, isOpen }),
  )
}

/** Returns the id of the next block without an id of its own. */
export function takeBlockId(conversationId: string, memory: Memory<QwenContext>): string {
  const place = placeOf(conversationId, memory)
  memory.notes.setEntry('places', conversationId, { ...place, blocks: place.blocks + 1 })
  return `${place.id}:${place.blocks}`
}

/** Begins a message of the model, and returns its id. */
export function beginMessage(conversationId: string, memory: Memory<QwenContext>): string {
  const place = placeOf(conversationId, memory)
  const messageId = `${place.id}:message:${place.messages}`
  const { id, blocks, messages } = place
  memory.notes.setEntry('places', conversationId, {
    id,
    blocks,
    messages: messages + 1,
    messageId,
    isOpen: true,
  })
  return messageId
}

/** Returns the message that is being built, or begins one. */
export function currentMessage(conversationId: string, memory: Memory<QwenContext>): string {
  const { messageId, isOpen } = placeOf(conversationId, memory)
  return isOpen && messageId !== undefined ? messageId : beginMessage(conversationId, memory)
}

/** Ends the message that is being built. */
export function endMessage(conversationId: string, memory: Memory<QwenContext>): void {
  const place = placeOf(conversationId, memory)
  if (place.isOpen) memory.notes.setEntry('places', conversationId, { ...place, isOpen: false })
}

/** Returns the id of the next prompt of a conversation. */
export function takePromptId(conversationId: string, notes: QwenContext['notes']): string {
  const count = notes.values.promptCounts.get(conversationId) ?? 0
  notes.setEntry('promptCounts', conversationId, count + 1)
  if (conversationId === MAIN) return numberedId(count)
  return count === 0 ? `${conversationId}:prompt` : `${conversationId}:prompt:${count}`
}
