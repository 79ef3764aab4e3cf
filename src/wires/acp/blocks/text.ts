import type { IncomingBlock } from '../../../core/events/event.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { type ConversationBlock, isModelText } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { type AcpContext, type AcpMemory, agentIdOf, type TextBlock } from '../context.ts'
import { type Chunk, isPartOf, newTextOf } from './joint.ts'

/** Whether a chunk comes again: it has a known number, or the message of the agent has ended. A message ends when the next one begins. */
export function isKnown(
  conversationId: string,
  { messageId, number }: { readonly messageId: string; readonly number: number | undefined },
  memory: AcpMemory,
): boolean {
  const stream = memory.stream(conversationId)
  if (stream.messageId === messageId)
    return number !== undefined && stream.number !== undefined && number <= stream.number
  const first = textId(messageId, 0)
  return memory.state.findBlock(conversationId, first) !== undefined || memory.state.isAbandoned(first)
}

function textId(messageId: string, number: number): string {
  return `${messageId}:${number}`
}

/** Appends a chunk to the text of its message, or begins the next text. */
export function appendChunk(conversationId: string, chunk: Chunk, context: AcpContext): void {
  if (isOlder(conversationId, chunk, context)) return
  const open = context.openText(conversationId)
  const { text, content } = newTextOf(conversationId, chunk, context)
  const isNext = chunk.type === 'thinking' && context.reader.wholeThought !== undefined
  if (!open || isNext || !isPartOf(open, chunk)) return beginText(conversationId, { ...chunk, text }, context)
  notePlace(conversationId, chunk, context)
  if (content !== undefined) showText(conversationId, { ...open, content }, context)
  else if (text !== '') extendText(conversationId, open, text, context)
}

function beginText(conversationId: string, chunk: Chunk, context: AcpContext): void {
  const { type, messageId } = chunk
  // An agent may send an empty line before its thinking, which its replay lacks.
  const thought = context.reader.wholeThought?.(chunk.text) ?? chunk.text
  const content = type === 'thinking' ? thought.replace(/^\n+/, '') : chunk.text
  if (content === '') return
  closeText(conversationId, context)
  context.noteWork(conversationId)
  const id = nextTextId(conversationId, messageId, context)
  const { messageId: before } = context.stream(conversationId)
  const isNew = messageId !== undefined && messageId !== before
  context.updateStream(conversationId, {
    blockId: id,
    ...(isNew && { messageId, at: undefined, number: undefined }),
  })
  notePlace(conversationId, chunk, context)
  context.notes.removeEntry('joints', conversationId)
  showText(conversationId, { id, type, messageId, content }, context)
}

/** Whether the log has a later chunk of the message, so the chunk comes again. */
function isOlder(conversationId: string, { messageId, at }: Chunk, memory: AcpMemory): boolean {
  if (messageId === undefined || at === undefined) return false
  const stream = memory.stream(conversationId)
  return stream.messageId === messageId && stream.at !== undefined && at < stream.at
}

/** Notes the time and the number of the last chunk of a message. */
function notePlace(conversationId: string, { messageId, at, number }: Chunk, memory: AcpMemory): void {
  if (messageId === undefined || (at === undefined && number === undefined)) return
  const stream = memory.stream(conversationId)
  if (stream.messageId === messageId && (stream.at !== at || stream.number !== number))
    memory.updateStream(conversationId, { at, number })
}

function extendText(conversationId: string, open: TextBlock, delta: string, context: AcpContext): void {
  if (context.isAfterTurn(conversationId))
    showText(conversationId, { ...open, content: open.content + delta }, context)
  else context.emit({ type: 'block:delta', conversationId, blockId: open.id, delta })
}

/** Returns the id of the next text of a message: the message's id and the number of texts and calls before it. */
function nextTextId(conversationId: string, messageId: string | undefined, memory: AcpMemory): string {
  if (messageId === undefined) return memory.nextUnnamedId(conversationId)
  if (memory.stream(conversationId).messageId !== messageId) return textId(messageId, 0)
  const blocks = memory.state.blocksOf(conversationId)
  let calls = 0
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at]
    if (!block) continue
    if (isCall(block)) calls += 1
    if (isModelText(block) && block.messageId === messageId)
      return textId(messageId, Number(block.id.slice(messageId.length + 1)) + 1 + calls)
  }
  return textId(messageId, 0)
}

/** Whether the block is a call of the message. An agent with a session of its own may have none. */
function isCall(block: ConversationBlock): boolean {
  if (block.type === 'subagent') return agentIdOf(block.toolUseId) !== block.agentId
  return block.type === 'tool_use'
}

/** Completes the open text: another block follows, or the turn is over. */
export function closeText(conversationId: string, context: AcpContext): void {
  const open = completeText(conversationId, context)
  if (open && conversationId === MAIN && isAnswer(open, context)) context.turn.answer({})
}

/** Completes the open text, and returns it. It does not answer the turn: the model goes on. */
export function completeText(conversationId: string, context: AcpContext): TextBlock | undefined {
  const open = context.openText(conversationId)
  if (!open) return undefined
  context.updateStream(conversationId, { blockId: undefined })
  if (context.state.isOpen(conversationId, open.id))
    context.upsert(conversationId, textBlock(open, 'complete'))
  return open
}

/** Completes the open text before a message of the person. If the end of the input has done it, the turn stays cut. */
export function leaveText(conversationId: string, context: AcpContext): void {
  if (context.openText(conversationId)?.status === 'pending') closeText(conversationId, context)
  else context.updateStream(conversationId, { blockId: undefined })
}

/** Whether the text may end main's turn. Without the client's prompts, nothing else shows that a turn may be over. */
export function isAnswer({ type }: TextBlock, memory: AcpMemory): boolean {
  const isReported = memory.reader.reportsTurns === true || memory.notes.values.openPrompts !== undefined
  return type === 'assistant_text' && !isReported && memory.state.turn.status === 'running'
}

type Text = Pick<TextBlock, 'id' | 'type' | 'content'> & { readonly messageId?: string | undefined }

/** Shows a text to which the next chunk may add. After the end of main's turn it is complete. */
export function showText(conversationId: string, text: Text, context: AcpContext): void {
  const status = context.isAfterTurn(conversationId) ? 'complete' : 'pending'
  context.upsert(conversationId, textBlock(text, status))
}

function textBlock({ id, type, messageId, content }: Text, status: 'pending' | 'complete'): IncomingBlock {
  return omitUndefined({ type, id, status, content, messageId })
}
