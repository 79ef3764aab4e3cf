import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import type { UserMessageOrigin } from '../../../state/block.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import { typeName } from '../../translation/context.ts'
import { compareStrings } from '../../translation/order.ts'
import { userContent } from '../../translation/user-content.ts'
import { completeNotified, isNotification } from '../agents/task-run.ts'
import type { OpencodeContext } from '../context.ts'
import { type MessageRef, messageOf, type PartUpdate, rememberPart } from './known-message.ts'
import { note } from './note.ts'

/**
 * A part of what the model is told. What the person wrote and attached is one block, under the message's id; what the
 * program added stands by itself.
 */
export function translateUserPart(ref: MessageRef, update: PartUpdate, translation: OpencodeContext): void {
  const { part } = update
  switch (part.type) {
    case 'text':
      return part.synthetic === true || part.ignored === true
        ? translateAdded(ref, update, translation)
        : say(ref, update, { type: 'text', text: asString(part.text) ?? '' }, translation)
    case 'file':
      return say(ref, update, filePart(part), translation)
    case 'compaction':
      return noteCompaction(ref, update, translation)
    // The text names the agent, and the call that follows says what it is to do.
    case 'agent':
    case 'subtask':
      return
    default:
      translation.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
  }
}

function say(
  ref: MessageRef,
  { id }: PartUpdate,
  content: UserContentPart,
  translation: OpencodeContext,
): void {
  rememberPart(ref, { id, blockIds: [ref.messageId], content }, translation)
  sayAgain(ref, translation)
}

/** Puts what is left of the person's message in its block; false if nothing is. */
export function sayAgain(ref: MessageRef, translation: OpencodeContext): boolean {
  const { conversationId, messageId } = ref
  const { parts, timestamp } = messageOf(ref, translation)
  // Ids of parts rise in the order in which the parts were made.
  const made = parts.values().sort((left, right) => compareStrings(left.id, right.id))
  const content = userContent(made.flatMap((part) => part.content ?? []))
  if (content === undefined) return false
  translation.upsert(
    conversationId,
    omitUndefined({
      type: 'user_message',
      id: messageId,
      status: 'complete',
      content,
      timestamp,
    }),
  )
  return true
}

function filePart({ mime, filename, url }: JsonObject): UserContentPart {
  const mediaType = asString(mime) ?? ''
  const source = fileSource(asString(url) ?? '', mediaType)
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return omitUndefined({ type: 'file', source, name: asString(filename) })
}

function fileSource(url: string, mediaType: string): FileSource {
  const mark = `data:${mediaType};base64,`
  if (url.startsWith(mark)) return { type: 'base64', mediaType, data: url.slice(mark.length) }
  return { type: 'url', url, mediaType }
}

function translateAdded(ref: MessageRef, { part, id }: PartUpdate, translation: OpencodeContext): void {
  const content = asString(part.text) ?? ''
  const origin: UserMessageOrigin = isNotification(content) ? 'notification' : 'meta'
  const { timestamp, parts } = messageOf(ref, translation)
  const isNews = parts.get(id) === undefined
  translation.upsert(
    ref.conversationId,
    omitUndefined({ type: 'user_message', id, status: 'complete', content, origin, timestamp }),
  )
  rememberPart(ref, { id, blockIds: [id] }, translation)
  if (isNews && origin === 'notification') completeNotified(content, translation)
}

function noteCompaction(ref: MessageRef, { part, id }: PartUpdate, translation: OpencodeContext): void {
  const { timestamp } = messageOf(ref, translation)
  const message = 'Conversation compacted'
  const data = { auto: part.auto === true }
  note(ref.conversationId, { id, subtype: 'compaction', message, data, timestamp }, translation)
  rememberPart(ref, { id, blockIds: [id] }, translation)
}
