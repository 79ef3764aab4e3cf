import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { UserMessageOrigin } from '../../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import { type Buffered, bufferedItems } from '../../../reading/notes/persistent-map.ts'
import { compactionBlocks, noteBlock } from '../../kit/blocks.ts'
import { endNamedAgent } from '../agents/run.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import { wordsKey } from './note.ts'
import { lastPromptId, replayPrompt } from './prompt.ts'
import { leaveText } from './text.ts'

/** Buffers a part of a person's message. Its next chunk may have a further part. */
export function bufferUserChunk(
  conversationId: string,
  { messageId, part }: { readonly messageId: string | undefined; readonly part: UserContentPart },
  context: AcpContext,
): void {
  if (messageId !== undefined && isRead(conversationId, messageId, context)) return
  const buffered = context.notes.values.bufferedMessages.get(conversationId)
  const goesOn =
    buffered !== undefined && buffered.messageId === messageId && !isOfOther(part, buffered, context)
  if (!goesOn) showBufferedMessage(conversationId, context)
  const parts = { item: part, before: goesOn ? buffered.parts : undefined }
  context.notes.setEntry('bufferedMessages', conversationId, omitUndefined({ messageId, parts }))
}

/** Whether one of two parts without ids is a note of the program, and the other one the words of a person. */
function isOfOther(
  part: UserContentPart,
  { messageId, parts }: { readonly messageId?: string; readonly parts: Buffered<UserContentPart> },
  { reader }: AcpMemory,
): boolean {
  const origin = ({ type, ...fields }: UserContentPart) =>
    type === 'text' && 'text' in fields ? reader.messageOrigin?.(fields.text) : undefined
  return messageId === undefined && origin(part) !== origin(parts.item)
}

/** Whether the person's message has been shown, so that its chunk comes again. */
function isRead(conversationId: string, messageId: string, memory: AcpMemory): boolean {
  const isKnown = conversationId === MAIN && memory.notes.values.readMessages.get(messageId) === true
  const ids = [messageId, agentPromptId(messageId)]
  return isKnown || ids.some((id) => memory.state.findBlock(conversationId, id)?.type === 'user_message')
}

function agentPromptId(id: string): string {
  return `${id}:prompt`
}

/** Shows the buffered message. */
export function showBufferedMessage(conversationId: string, context: AcpContext): void {
  const buffered = context.notes.values.bufferedMessages.get(conversationId)
  if (!buffered) return
  leaveText(conversationId, context)
  context.notes.removeEntry('bufferedMessages', conversationId)
  const { messageId } = buffered
  const parts = bufferedItems(buffered.parts)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const origin = context.reader.messageOrigin?.(text)
  if (origin === 'reminder') return
  const isPrompt = conversationId === MAIN && (origin === undefined || origin === 'interruption')
  if (messageId !== undefined && isPrompt) context.notes.setEntry('readMessages', messageId, true)
  if (origin === 'interruption') return showInterruption(conversationId, context)
  if (origin === 'summary') {
    if (isSummaryOfKnown(conversationId, context)) return
    // A replay begins with the summary of the messages before it, and has no note of the compaction.
    const id = `${messageId ?? context.nextUnnamedId(conversationId)}${COMPACTION_SUFFIX}`
    for (const block of compactionBlocks({ id, summary: undefined })) context.upsert(conversationId, block)
  }
  const end = origin === 'notification' ? context.reader.notifiedEnd?.(text) : undefined
  if (end) endNamedAgent(end, context)
  if (origin !== undefined) return showMessage(conversationId, { messageId, parts, origin }, context)
  if (isPrompt) showPrompt(parts, text, context)
  else showAgentPrompt(conversationId, { messageId, parts }, context)
}

/** Shows a prompt. The compaction that it asks for is behind it, as in a connection. */
function showPrompt(parts: readonly UserContentPart[], text: string, context: AcpContext): void {
  const [note, before] = text === context.reader.compactionPrompt ? context.state.blocksFromEnd(MAIN) : []
  const isEarly = note?.type === 'system' && note.subtype === 'compaction' && before?.type !== 'user_message'
  if (!isEarly) return replayPrompt(parts, context)
  context.emit({ type: 'block:removed', conversationId: MAIN, blockId: note.id })
  replayPrompt(parts, context)
  context.upsert(MAIN, note)
}

interface Message {
  readonly messageId: string | undefined
  readonly parts: readonly UserContentPart[]
  readonly origin?: UserMessageOrigin | undefined
}

/** Shows that the person has stopped the turn. The note belongs to the prompt, because only a replay has a message for it. */
export function showInterruption(conversationId: string, context: AcpContext): void {
  const id = interruptionId(conversationId, context)
  context.upsert(conversationId, noteBlock({ id, subtype: 'interruption', message: 'Interrupted' }))
  if (conversationId === MAIN && context.state.turn.status === 'running')
    context.turn.end({ outcome: 'interrupted' })
}

/** Returns the id of the note that the last turn was stopped. */
export function interruptionId(conversationId: string, memory: AcpMemory): string {
  return `${conversationId === MAIN ? lastPromptId(memory) : conversationId}:interruption`
}

/** Whether the compaction at the start of the replay is in the conversation already, where nothing can be put before its next messages. */
function isSummaryOfKnown(conversationId: string, memory: AcpMemory): boolean {
  const note = memory.state
    .blocksOf(conversationId)
    .findLast((block) => block.type === 'system' && block.subtype === 'compaction')
  return (
    memory.notes.values.loadId !== undefined && note !== undefined && !note.id.endsWith(COMPACTION_SUFFIX)
  )
}

const COMPACTION_SUFFIX = ':compaction'

function showMessage(
  conversationId: string,
  { messageId, parts, origin }: Message,
  context: AcpContext,
): void {
  const id = messageId ?? context.nextUnnamedId(conversationId)
  const content = userContent(parts)
  if (content === undefined) return
  context.upsert(conversationId, { type: 'user_message', id, status: 'complete', content, origin })
}

/** Shows a message to an agent, such as its prompt. Claude Code names the call in the id of the message. */
export function showAgentPrompt(
  conversationId: string,
  { messageId, parts }: Message,
  context: AcpContext,
): void {
  const first = agentPromptId(messageId ?? conversationId)
  const known = context.state.findBlock(conversationId, first)
  // Messages without ids differ by their words alone.
  const isFurther =
    messageId === undefined && known?.type === 'user_message' && !isEqual(known.content, userContent(parts))
  const id = isFurther ? `${first}:${wordsKey(JSON.stringify(parts))}` : first
  if (context.state.findBlock(conversationId, id)) return
  context.noteWork(conversationId)
  showMessage(conversationId, { messageId: id, parts }, context)
}
