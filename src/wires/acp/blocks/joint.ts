import { isModelText, subagentBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { addToResumed, isDistinctive, repeatedTo } from '../../kit/resumed-text.ts'
import type { AcpMemory, TextBlock } from '../context.ts'
import type { Joint } from '../notes.ts'

// The messages of ACP have no numbers, and the chunks of a text have no places. If the source goes on from a state,
// messages of the last turn may come again. A prompt, a whole message or an ended call that comes again shows the
// place. The texts after it come again from their start.

/** A piece of the agent's text or thinking. */
export interface Chunk {
  readonly type: TextBlock['type']
  readonly messageId: string | undefined
  readonly text: string
  /** The time of the log's line, in ms. */
  readonly at?: number | undefined
  /** Counts the chunks of the message up, if the program numbers them. */
  readonly number?: number | undefined
}

/** The part of a chunk that the conversation does not have. */
interface NewText {
  readonly text: string
  /** The whole open text, if the last chunks turned out to be repeated ones. */
  readonly content?: string | undefined
}

/** Whether the chunk is a part of the text. */
export function isPartOf(block: TextBlock, { type, messageId }: Chunk): boolean {
  return block.type === type && block.messageId === messageId
}

/** Returns what is new of a chunk. */
export function newTextOf(conversationId: string, chunk: Chunk, memory: AcpMemory): NewText {
  const joint = memory.notes.values.joints.get(conversationId)
  if (!joint) return chunk
  const { next, ...added } = joint.place
    ? addAtPlace(conversationId, { joint, place: joint.place }, chunk, memory)
    : addAtUnknownPlace(conversationId, joint, chunk, memory)
  memory.notes.setEntry('joints', conversationId, next)
  return added
}

interface Added extends NewText {
  /** The joint after the chunk, while more chunks may be repeated ones. */
  readonly next?: Joint | undefined
}

type Place = NonNullable<Joint['place']>

function addAtPlace(
  conversationId: string,
  { joint, place }: { readonly joint: Joint; readonly place: Place },
  chunk: Chunk,
  memory: AcpMemory,
): Added {
  const block = nextText(conversationId, place, chunk, memory)
  if (!block || !isPartOf(block, chunk)) return { text: chunk.text }
  const start = block.id === place.blockId ? place.position : 0
  // The block of a thinking does not have the empty lines before it.
  const text = start === 0 && chunk.type === 'thinking' ? chunk.text.replace(/^\n+/, '') : chunk.text
  const { delta, place: reached } = addToResumed(block.content, { delta: text, place: repeatedTo(start) })
  if (reached?.type !== 'repeated') return { text: delta }
  return { text: '', next: { ...joint, place: { blockId: block.id, position: reached.position } } }
}

/** Returns the text that comes again at the place, or after it. */
function nextText(
  conversationId: string,
  place: Place,
  { text }: Chunk,
  memory: AcpMemory,
): TextBlock | undefined {
  const { blockId, position } = place
  const block = blockId === undefined ? undefined : memory.state.findBlock(conversationId, blockId)
  if (block && isModelText(block) && position < block.content.length) return block
  // A replay may lack the work of agents that the conversation has as its own.
  const isNext = (each: TextBlock) => !memory.reader.mergesAgents || each.content.startsWith(text)
  for (const each of memory.state.blocksBehind(conversationId, blockId ?? ''))
    if (isModelText(each) && isNext(each)) return each
  return undefined
}

function addAtUnknownPlace(conversationId: string, joint: Joint, chunk: Chunk, memory: AcpMemory): Added {
  const open = memory.openText(conversationId)
  if (open && isPartOf(open, chunk)) {
    const length = joint.openText?.length ?? 0
    const { delta, content, place } = addToResumed(open.content.slice(0, length), {
      delta: chunk.text,
      place: { type: 'appended', deltas: open.content.slice(length) },
    })
    return { text: delta, content, next: place && joint }
  }
  const { messageId, text } = chunk
  if (messageId === undefined || memory.stream(conversationId).messageId !== messageId) return chunk
  const known = lastText(conversationId, chunk, memory.state)
  const start = known && isDistinctive(text) ? known.content.indexOf(text) : -1
  if (!known || start < 0) return chunk
  return { text: '', next: { ...joint, place: { blockId: known.id, position: start + text.length } } }
}

function lastText(conversationId: string, chunk: Chunk, state: SessionLookups): TextBlock | undefined {
  for (const block of state.messageFromEnd(conversationId, chunk.messageId ?? ''))
    if (isModelText(block) && isPartOf(block, chunk)) return block
  return undefined
}

/** Remembers that the whole turn comes again, with its agents. */
export function repeatTurn(memory: AcpMemory): void {
  for (const [conversationId, joint] of memory.notes.values.joints.entries()) {
    const prompt = conversationId === MAIN ? memory.state.blocksOf(MAIN).findLast(isUserMessage) : undefined
    const place = { ...(prompt && { blockId: prompt.id }), position: 0 }
    memory.notes.setEntry('joints', conversationId, { ...joint, place })
  }
}

/** Remembers that a message or a call comes again, so the blocks after it come again too. */
export function repeatItem(conversationId: string, id: string, memory: AcpMemory): void {
  const joint = memory.notes.values.joints.get(conversationId)
  const block = joint && blockInTurn(conversationId, id, memory.state)
  if (!block) return
  const position = isModelText(block) ? block.content.length : 0
  memory.notes.setEntry('joints', conversationId, { ...joint, place: { blockId: block.id, position } })
}

/** Returns the last block of a message or a call, if it is in the last turn. An agent has one turn. */
export function blockInTurn(conversationId: string, id: string, state: SessionLookups) {
  const blocks = state.blocksOf(conversationId)
  const ids = [id, subagentBlockId(id)]
  const last = blocks.findLast(
    (block) =>
      (conversationId === MAIN && isUserMessage(block)) ||
      (isModelText(block) ? block.messageId === id : ids.includes(block.id)),
  )
  return last && !isUserMessage(last) ? last : undefined
}

function isUserMessage({ type }: { readonly type: string }): boolean {
  return type === 'user_message'
}
