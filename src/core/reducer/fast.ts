import type { EventOf, IncomingBlock, SessionEvent } from '../events/event.ts'
import { hasUndefined, type Mutable, omitUndefined } from '../json/fields.ts'
import { fieldCount, isObject, type JsonObject } from '../json/values.ts'
import type { BlockOf, ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { caches, moveCache } from './search-cache.ts'

// All that is written for V8 and not for a reader. Three facts explain it. V8 copies a frozen object, or objects of
// many kinds, by spread several times slower than field by field. An object has room for the fields of its literal
// alone: a further field needs a list of its own. A check that knows the few fields of the commonest events takes a
// tenth of the time of one that walks a declaration.

/** A block in an event. The block of a subagent describes a spawn, so nothing copies it. */
type CopiedBlock = Exclude<IncomingBlock, { readonly type: 'subagent' }> | ConversationBlock

/**
 * Returns a copy of a block for a conversation, with its unknown fields and without undefined ones. The fields of the
 * commonest blocks are copied one by one, and the blocks of files are literals.
 */
export function copyBlock<Block extends ConversationBlock>(
  block: Block,
  conversationId: string,
): Mutable<Block>
export function copyBlock(block: CopiedBlock, conversationId: string): Mutable<ConversationBlock>
export function copyBlock(block: CopiedBlock, conversationId: string): Mutable<ConversationBlock> {
  const count = fieldCount(block) + (block.conversationId === undefined ? 1 : 0)
  switch (block.type) {
    case 'assistant_text':
    case 'thinking':
      return copyText(block, conversationId, count)
    case 'tool_use':
      return copyCall(block, conversationId, count)
    case 'tool_result':
      return copyResult(block, conversationId, count)
    default:
      return copyAllFields(block, conversationId)
  }
}

type Copied<Type extends CopiedBlock['type']> = Extract<CopiedBlock, { readonly type: Type }>
type Copy<Type extends ConversationBlock['type']> = Mutable<
  Extract<ConversationBlock, { readonly type: Type }>
>

// `count` is the number of fields that the copy has to have. A block with any other field is copied whole. The first
// literal of each function has all fields that the blocks of files have.

function copyText(
  block: Copied<'assistant_text' | 'thinking'>,
  conversationId: string,
  count: number,
): Mutable<ConversationBlock> {
  const { id, type, status, content, messageId, timestamp, model } = block
  if (count !== 5 + isSet(messageId) + isSet(timestamp) + isSet(model))
    return copyAllFields(block, conversationId)
  if (messageId !== undefined && timestamp !== undefined && model !== undefined)
    return { id, type, status, content, conversationId, messageId, timestamp, model }
  const copy: Copy<'assistant_text' | 'thinking'> = { id, type, status, content, conversationId }
  if (messageId !== undefined) copy.messageId = messageId
  if (timestamp !== undefined) copy.timestamp = timestamp
  if (model !== undefined) copy.model = model
  return copy
}

function copyCall(
  block: Copied<'tool_use'>,
  conversationId: string,
  count: number,
): Mutable<ConversationBlock> {
  const { id, type, status, toolName, toolUseId, input, inputText, messageId, timestamp } = block
  if (count !== 7 + isSet(inputText) + isSet(messageId) + isSet(timestamp))
    return copyAllFields(block, conversationId)
  if (messageId !== undefined && timestamp !== undefined && inputText === undefined)
    return { id, type, status, toolName, toolUseId, input, conversationId, messageId, timestamp }
  const copy: Copy<'tool_use'> = { id, type, status, toolName, toolUseId, input, conversationId }
  if (inputText !== undefined) copy.inputText = inputText
  if (messageId !== undefined) copy.messageId = messageId
  if (timestamp !== undefined) copy.timestamp = timestamp
  return copy
}

function copyResult(
  block: Copied<'tool_result'>,
  conversationId: string,
  count: number,
): Mutable<ConversationBlock> {
  const { id, type, status, toolUseId, output, isError, durationMs, exitCode, timestamp } = block
  if (count !== 7 + isSet(durationMs) + isSet(exitCode) + isSet(timestamp))
    return copyAllFields(block, conversationId)
  if (timestamp !== undefined && durationMs === undefined && exitCode === undefined)
    return { id, type, status, toolUseId, output, isError, conversationId, timestamp }
  const copy: Copy<'tool_result'> = { id, type, status, toolUseId, output, isError, conversationId }
  if (durationMs !== undefined) copy.durationMs = durationMs
  if (exitCode !== undefined) copy.exitCode = exitCode
  if (timestamp !== undefined) copy.timestamp = timestamp
  return copy
}

function isSet(field: unknown): 0 | 1 {
  return field === undefined ? 0 : 1
}

/** The new field comes first, for the reason in `withChanges`. */
function copyAllFields(block: CopiedBlock, conversationId: string): Mutable<ConversationBlock> {
  const copy: Mutable<ConversationBlock> = { conversationId, ...block }
  copy.conversationId = conversationId
  return hasUndefined(copy) ? omitUndefined(copy) : copy
}

// The guard accepts each of these events too. Most events of a live stream are deltas, and most others are texts.

/** Whether the value is a delta without further fields. */
function isPlainDelta(value: unknown): value is EventOf<'block:delta'> {
  try {
    return isObject(value) && value.type === 'block:delta' && hasDeltaFieldsOnly(value)
  } catch {
    return false
  }
}

/** Whether the value is a delta, or the upsert of a text or of thinking, without further fields. */
export function isPlainEvent(value: unknown): value is SessionEvent {
  try {
    if (!isObject(value)) return false
    return value.type === 'block:delta' ? hasDeltaFieldsOnly(value) : hasTextOnly(value)
  } catch {
    return false
  }
}

function hasDeltaFieldsOnly(value: JsonObject): boolean {
  const { blockId, delta, conversationId, timestamp } = value
  const count = 3 + countOf(conversationId) + countOf(timestamp)
  return typeof blockId === 'string' && typeof delta === 'string' && isPlain(value, count)
}

function hasTextOnly(value: JsonObject): boolean {
  const { type, block, conversationId, timestamp } = value
  if (type !== 'block:upsert') return false
  const count = 2 + countOf(conversationId) + countOf(timestamp)
  return isObject(block) && hasTextFieldsOnly(block) && isPlain(value, count)
}

function hasTextFieldsOnly(block: JsonObject): boolean {
  const { id, type, status, content, conversationId, messageId, timestamp, model } = block
  const isText = type === 'assistant_text' || type === 'thinking'
  const isStatus = status === 'pending' || status === 'complete' || status === 'error'
  const count = 4 + countOf(conversationId) + countOf(messageId) + countOf(timestamp) + countOf(model)
  return isText && isStatus && typeof id === 'string' && typeof content === 'string' && isPlain(block, count)
}

/** Returns the number of fields that an optional text takes. No object has as many fields as a value of another kind counts. */
function countOf(field: unknown): number {
  if (field === undefined) return 0
  return typeof field === 'string' ? 1 : Number.NaN
}

/** Whether the value has that many fields. The count of the fields of a class, or of inherited ones, says nothing. */
function isPlain(value: JsonObject, count: number): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && fieldCount(value) === count
}

// A live stream brings one delta at a time. The lists and look-ups of a batch take as long as its copies.

/**
 * Returns the state after one delta for a pending block near the end of main. Undefined for every other event, for a
 * state with unknown fields, and for a list with groupings: its block may get into another group.
 */
export function withSingleDelta(
  state: SessionConversationState,
  event: unknown,
): SessionConversationState | undefined {
  if (!isPlainDelta(event) || event.delta === '') return undefined
  if (event.conversationId !== undefined && event.conversationId !== MAIN) return undefined
  const index = indexNearEnd(state.blocks, event.blockId)
  const block = state.blocks[index < 0 ? state.blocks.length : index]
  if (block?.status !== 'pending' || !takesDeltas(block) || !hasRoom(block, event.delta)) return undefined
  const { todos, branches } = state
  // A short list needs no look-ups.
  const cache = state.blocks.length > TAIL ? caches.get(state.blocks) : undefined
  if (cache && cache.groupings.length > 0) return undefined
  if (hasFurtherFields(state)) return undefined
  const blocks = state.blocks.slice()
  blocks[index] = Object.freeze(addDelta(copyBlock(block, block.conversationId), event.delta))
  if (cache) moveCache(state.blocks, blocks)
  const { usage, turn, subagents, session } = state
  const copy: Mutable<SessionConversationState> = { blocks, usage, turn, subagents, session }
  if (todos !== undefined) copy.todos = todos
  if (branches !== undefined) copy.branches = branches
  return Object.freeze(copy)
}

/** Whether the state has fields that no reducer knows. */
export function hasFurtherFields(state: SessionConversationState): boolean {
  return fieldCount(state) !== REQUIRED_FIELDS + isSet(state.todos) + isSet(state.branches)
}

/** The fields that each state has. */
const REQUIRED_FIELDS = 5
const TAIL = 16

/** Returns the index of the last block with the id, or -1 if it is not one of the last ones. */
function indexNearEnd(blocks: readonly ConversationBlock[], id: string): number {
  const end = Math.max(0, blocks.length - TAIL)
  for (let index = blocks.length - 1; index >= end; index -= 1) if (blocks[index]?.id === id) return index
  return -1
}

/** Adds a delta to a copy of a block. */
export function addDelta(block: Mutable<StreamedBlock>, delta: string): StreamedBlock {
  if ('content' in block) block.content += delta
  else block.inputText += delta
  return block
}

/** A block that takes deltas: one with a text, or a call whose input streams. */
type StreamedBlock =
  | (Extract<ConversationBlock, { readonly content: unknown }> & { readonly content: string })
  | (BlockOf<'tool_use' | 'subagent'> & { readonly inputText: string })

/**
 * The greatest length of a text after a delta, in UTF-16 units. V8 throws for a string longer than 2 ** 29 - 24
 * units, and an error would lose the other events of the batch. The text has to stay below that limit as JSON too.
 */
const MAX_CONTENT = 2 ** 28

/** Whether the block takes deltas. */
export function takesDeltas(block: ConversationBlock): block is StreamedBlock {
  if (block.type === 'tool_use' || block.type === 'subagent') return block.inputText !== undefined
  return 'content' in block && typeof block.content === 'string'
}

/** Whether the text with the delta is short enough. */
export function hasRoom(block: StreamedBlock, delta: string): boolean {
  const { length } = 'content' in block ? block.content : block.inputText
  return length + delta.length <= MAX_CONTENT
}
