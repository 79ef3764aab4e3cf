import type { IncomingBlock } from '../../../events/event.ts'
import { compositeKey } from '../../../json/composite-key.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { MAIN } from '../../../state/session.ts'
import type { AcpContext } from '../context.ts'
import type { OpenText } from '../memory.ts'
import { newTextOf } from '../resume/repeated-turn.ts'

/** A piece of the agent's text or thinking. */
export interface Chunk {
  readonly kind: OpenText['kind']
  readonly messageId: string | undefined
  readonly text: string
  /** The time of the log's line, in ms. */
  readonly at?: number | undefined
}

/** Whether the message of the chunk is known, so the chunk comes again. A message has ended when the next one begins. */
export function isRepeated(
  conversationId: string,
  messageId: string | undefined,
  context: AcpContext,
): boolean {
  if (messageId === undefined) return false
  const known = context.memory.messages.get(compositeKey(conversationId, messageId))
  return known?.isWhole === true
}

/** Appends a chunk to the text of its message, or begins the next text. */
export function appendChunk(conversationId: string, chunk: Chunk, context: AcpContext): void {
  if (chunk.messageId !== undefined && isOlder(conversationId, chunk.messageId, chunk.at, context)) return
  const { openText } = context.thread(conversationId)
  const goesOn = openText?.kind === chunk.kind && openText.messageId === chunk.messageId
  const { text, content } = newTextOf(conversationId, chunk, context)
  if (goesOn) {
    noteTime(conversationId, chunk, context)
    if (content !== undefined) return correctText(conversationId, { ...openText, content }, context)
    return extendText(conversationId, openText, text, context)
  }
  beginText(conversationId, { ...chunk, text }, context)
}

function beginText(conversationId: string, chunk: Chunk, context: AcpContext): void {
  // An agent may send an empty line before its thinking, which its replay lacks.
  const text = chunk.kind === 'thinking' ? chunk.text.replace(/^\n+/, '') : chunk.text
  if (text === '') return
  closeText(conversationId, context)
  context.noteWork(conversationId)
  const { kind, messageId } = chunk
  const open = { kind, messageId, blockId: nextBlockId(conversationId, messageId, context), content: text }
  noteTime(conversationId, chunk, context)
  context.updateThread(conversationId, { openText: open, resumedTurn: undefined })
  context.upsert(
    conversationId,
    textBlock(open, context.isAfterTurn(conversationId) ? 'complete' : 'pending'),
  )
}

/** Whether the log has a later chunk of the message, so the chunk comes again. */
function isOlder(
  conversationId: string,
  messageId: string,
  at: number | undefined,
  { memory }: AcpContext,
): boolean {
  const last = memory.messages.get(compositeKey(conversationId, messageId))?.at
  return at !== undefined && last !== undefined && at < last
}

function noteTime(conversationId: string, { messageId, at }: Chunk, context: AcpContext): void {
  if (messageId === undefined || at === undefined) return
  const { messages } = context.memory
  const key = compositeKey(conversationId, messageId)
  const known = messages.get(key)
  if (known && known.at !== at) context.setEntry('messages', key, withChanges(known, { at }))
}

function extendText(conversationId: string, openText: OpenText, delta: string, context: AcpContext): void {
  const open = { ...openText, content: openText.content + delta }
  context.updateThread(conversationId, { openText: open })
  if (context.isAfterTurn(conversationId)) context.upsert(conversationId, textBlock(open, 'complete'))
  else context.emit({ type: 'block:delta', conversationId, blockId: open.blockId, delta })
}

/** Replaces a text to which repeated chunks have added their words twice. */
function correctText(conversationId: string, openText: OpenText, context: AcpContext): void {
  context.updateThread(conversationId, { openText })
  const status = context.isAfterTurn(conversationId) ? 'complete' : 'pending'
  context.upsert(conversationId, textBlock(openText, status))
}

/** Returns the id of the next text of a message: the message's id and the number of blocks before it. The number counts calls too. */
function nextBlockId(conversationId: string, messageId: string | undefined, context: AcpContext): string {
  if (messageId === undefined) return context.nextUnnamedId(conversationId)
  beginMessage(conversationId, messageId, context)
  return `${messageId}:${countBlock(conversationId, messageId, context)}`
}

function countBlock(conversationId: string, messageId: string, context: AcpContext): number {
  const { messages } = context.memory
  const key = compositeKey(conversationId, messageId)
  const known = messages.get(key)
  const blocks = known?.blocks ?? 0
  context.setEntry('messages', key, { id: messageId, ...known, blocks: blocks + 1 })
  return blocks
}

/** The message before has ended. Its chunks come again only after a reconnect. */
function beginMessage(conversationId: string, messageId: string, context: AcpContext): void {
  const { messageId: before } = context.thread(conversationId)
  if (before === messageId) return
  if (before !== undefined) markWhole(conversationId, before, context)
  context.updateThread(conversationId, { messageId })
}

/** Marks a message as known. */
export function markWhole(conversationId: string, messageId: string, context: AcpContext): void {
  const { messages } = context.memory
  const key = compositeKey(conversationId, messageId)
  const known = messages.get(key) ?? { id: messageId, blocks: 0 }
  if (!known.isWhole) context.setEntry('messages', key, withChanges(known, { isWhole: true }))
}

/** Marks a message as one that goes on. */
export function unmarkWhole(conversationId: string, messageId: string, context: AcpContext): void {
  const { messages } = context.memory
  const key = compositeKey(conversationId, messageId)
  const known = messages.get(key)
  if (known) context.setEntry('messages', key, withChanges(known, { isWhole: false }))
}

/** Counts a call among the blocks of the current message. */
export function countCall(conversationId: string, context: AcpContext): void {
  const { messageId } = context.thread(conversationId)
  if (messageId !== undefined) countBlock(conversationId, messageId, context)
}

/** Completes the open text: another block follows, or the turn is over. */
export function closeText(conversationId: string, context: AcpContext): void {
  const { openText } = context.thread(conversationId)
  if (!openText) return
  const isText = openText.kind === 'text'
  context.updateThread(conversationId, {
    openText: undefined,
    ...(isText && { lastText: openText.content }),
  })
  context.upsert(conversationId, textBlock(openText, 'complete'))
  // Without the client's prompts, nothing but a text shows that a turn may be over.
  const isOver =
    !context.reader.reportsTurns && context.memory.openPrompts === 0 && context.turn.status === 'running'
  if (isText && conversationId === MAIN && isOver) context.answerTurn({})
}

export function textBlock(
  { blockId: id, kind, messageId, content }: OpenText,
  status: 'pending' | 'complete',
): IncomingBlock {
  const type = kind === 'text' ? 'assistant_text' : 'thinking'
  return omitUndefined({ type, id, status, content, messageId })
}
