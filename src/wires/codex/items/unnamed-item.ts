import { type ConversationBlock, isModelText } from '../../../core/state/block.ts'
import { userContent } from '../../../core/state/content.ts'
import { numberOfId } from '../../../core/state/numbered-id.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { Item, TextItem } from './item.ts'

// Files of early versions give prompts no id, and older ones no text and no thinking. Their blocks have a number in
// place of it, and the items of a migrated file too. A stream names the same items. So the item of a stream takes the
// id of the block that has its words: the next one behind the items that the stream has shown, or at first the one of
// its turn.

type ItemEvent = CodexEventOf<'item'>

type NamedItem = TextItem | Extract<Item, { readonly kind: 'user' }>

/** Returns the event of a stream with the id of the block that a file without ids has of the same item. */
export function withKnownId<Event extends ItemEvent | CodexEventOf<'delta'>>(
  threadId: string,
  event: Event,
  context: CodexContext,
): Event {
  const key = context.threadKey(threadId)
  if (event.type === 'item' && event.origin !== undefined) return event
  if (event.type === 'item' && isUnnamed(event.item.id)) {
    noteNumber(key, event.item.id, context)
    return event
  }
  if (!context.notes.values.unnamed.get(key)) return event
  if (event.type === 'item' && !event.isStreamed) return event
  if (event.type === 'delta') {
    const known = context.notes.values.unnamedItems.get(context.itemKey(threadId, event.itemId))
    return known === undefined ? event : { ...event, itemId: known }
  }
  const { item } = event
  const isNamed = item.kind === 'user' || item.kind === 'text' || item.kind === 'thinking'
  const blockId = isNamed ? blockOf(threadId, { ...event, item }, context) : undefined
  if (key === MAIN) context.notes.remember({ lastItem: blockId ?? item.id })
  return blockId === undefined ? event : { ...event, item: { ...item, id: blockId } }
}

function blockOf(
  threadId: string,
  event: ItemEvent & { readonly item: NamedItem },
  context: CodexContext,
): string | undefined {
  const { item, isCompleted } = event
  const itemKey = context.itemKey(threadId, item.id)
  const known = context.notes.values.unnamedItems.get(itemKey)
  if (known !== undefined) {
    if (!isCompleted || item.kind === 'user' || hasWords(threadId, known, item, context)) return known
    // The text that has begun was another one.
    forget(threadId, item.id, known, context)
  }
  const hasStarted = context.isKnownItem(threadId, item.id)
  if (hasStarted && !context.state.isOpen(context.conversationOf(threadId), item.id)) return undefined
  const found = find(threadId, event, context)
  if (!found) {
    if (isCompleted) noteShown(threadId, context)
    return undefined
  }
  if (hasStarted)
    context.emit({
      type: 'block:removed',
      conversationId: context.conversationOf(threadId),
      blockId: item.id,
    })
  remember(threadId, item.id, found, context)
  return found
}

/** Returns the id of the block without a name that the item is. */
function find(
  threadId: string,
  event: ItemEvent & { readonly item: NamedItem },
  memory: CodexMemory,
): string | undefined {
  const { item } = event
  const place = memory.notes.values.unnamedPlaces.get(memory.threadKey(threadId))
  const words = wordsOfItem(item)
  if (words === undefined) return place === undefined ? undefined : nextText(threadId, place, item, memory)
  const blocks = candidates(threadId, words, memory).filter(({ id }) => isFree(threadId, id, memory))
  if (place !== undefined) return blocks.find(({ id }) => numberIn(id) >= place)?.id
  return firstOf(threadId, event, blocks, memory)?.id
}

/** Returns the block at which a stream begins that has shown nothing of the thread: one of its turn, or of its time. */
function firstOf(
  threadId: string,
  { turnId, sentAt }: ItemEvent,
  blocks: readonly ConversationBlock[],
  memory: CodexMemory,
): ConversationBlock | undefined {
  const { turns, endedTurns, rounds = [], isOpened } = memory.notes.values
  const isOfTime = ({ timestamp }: ConversationBlock) =>
    sentAt === undefined ||
    timestamp === undefined ||
    Math.abs(Date.parse(timestamp) - Date.parse(sentAt)) < NEAR_MS
  const near = blocks.filter(isOfTime)
  if (turnId === undefined || isOpened) return near.at(-1)
  const key = memory.threadKey(threadId)
  if (turns.get(key) !== turnId && endedTurns.get(turnId) === undefined) return undefined
  const at = key === MAIN ? rounds.findIndex((round) => round.turnId === turnId) : -1
  if (at < 0) return near[0]
  const own = memory.state.blocksOf(MAIN)
  const ends = rounds.slice(at, at + 2).map(({ after }) => own.findIndex(({ id }) => id === after) + 1)
  const ids = new Set(own.slice(ends[0], ends[1]).map(({ id }) => id))
  return blocks.find(({ id }) => ids.has(id))
}

/** The stream and the file have the same time of a prompt, but for a rounded one. */
const NEAR_MS = 1500

/** Returns the next block without a name if the text that begins can be it. A file has a text when it is whole. */
function nextText(threadId: string, place: number, item: NamedItem, memory: CodexMemory): string | undefined {
  const ids = [memory.unnamedId(threadId, place), `item-${place}`]
  const block = ids.map((id) => memory.blockOf(threadId, id)).find((each) => each !== undefined)
  if (!block || !isModelText(block) || !isFree(threadId, block.id, memory)) return undefined
  return (block.type === 'thinking') === (item.kind === 'thinking') ? block.id : undefined
}

/** Returns the blocks without a name that have the words, in order. The person may have taken some of them back. */
function candidates(threadId: string, words: string, memory: CodexMemory): readonly ConversationBlock[] {
  const kept = memory.state.blocksIn(memory.conversationOf(threadId), wordsOfBlock, words)
  if (!memory.isMain(threadId) || memory.state.branches.length === 0) return kept
  const abandoned = memory.state.branches.flatMap(({ blocks }) =>
    blocks.filter((block) => wordsOfBlock(block) === words),
  )
  return [...abandoned, ...kept].sort((left, right) => numberIn(left.id) - numberIn(right.id))
}

/** Returns the kind and the words of a block that has a number in place of an id. */
function wordsOfBlock(block: ConversationBlock): string | undefined {
  if (block.type !== 'user_message' && !isModelText(block)) return undefined
  return isUnnamed(block.id) ? JSON.stringify([block.type, block.content]) : undefined
}

/** Returns the words of a whole item; undefined for a text that begins. */
function wordsOfItem(item: NamedItem): string | undefined {
  if (item.kind === 'user') return JSON.stringify(['user_message', userContent(item.content)])
  if (item.text === '') return undefined
  return JSON.stringify([item.kind === 'text' ? 'assistant_text' : 'thinking', item.text])
}

function hasWords(threadId: string, blockId: string, item: NamedItem, memory: CodexMemory): boolean {
  const block = memory.blockOf(threadId, blockId)
  const words = wordsOfItem(item)
  return block === undefined || words === undefined || wordsOfBlock(block) === words
}

function isUnnamed(id: string): boolean {
  return numberIn(id) >= 0
}

/** Returns the number in the id of a block whose item has no name, and -1 for any other id. Ids of an agent begin with its thread. */
export function numberIn(id: string): number {
  const migrated = MIGRATED.exec(id)
  if (migrated) return Number(migrated[1])
  const at = id.lastIndexOf('unnamed:')
  return at < 0 ? -1 : (numberOfId(id.slice(at)) ?? -1)
}

/** The id that a migration gives an item of a file without ids. */
const MIGRATED = /^item-(\d{1,9})$/

function noteNumber(key: string, id: string, memory: CodexMemory): void {
  const count = memory.notes.values.unnamed.get(key) ?? 0
  memory.notes.setEntry('unnamed', key, Math.max(count, numberIn(id) + 1))
}

/** Whether no item of the stream is known to be the block. */
function isFree(threadId: string, blockId: string, memory: CodexMemory): boolean {
  return memory.notes.values.unnamedItems.get(memory.itemKey(threadId, blockId)) === undefined
}

function remember(threadId: string, itemId: string, blockId: string, memory: CodexMemory): void {
  memory.notes.setEntry('unnamedItems', memory.itemKey(threadId, itemId), blockId)
  memory.notes.setEntry('unnamedItems', memory.itemKey(threadId, blockId), itemId)
  memory.notes.setEntry('unnamedPlaces', memory.threadKey(threadId), numberIn(blockId) + 1)
}

function forget(threadId: string, itemId: string, blockId: string, memory: CodexMemory): void {
  for (const id of [itemId, blockId]) memory.notes.removeEntry('unnamedItems', memory.itemKey(threadId, id))
  memory.notes.setEntry('unnamedPlaces', memory.threadKey(threadId), numberIn(blockId))
}

/** Notes that a stream has begun behind the blocks of the file, because its first item is a new one. */
function noteShown(threadId: string, memory: CodexMemory): void {
  const key = memory.threadKey(threadId)
  const { unnamed, unnamedPlaces } = memory.notes.values
  if (unnamedPlaces.get(key) === undefined) memory.notes.setEntry('unnamedPlaces', key, unnamed.get(key) ?? 0)
}
