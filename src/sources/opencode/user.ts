import type { FileSource, UserContentPart, UserMessageOrigin } from '../../state/block.ts'
import { type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { byText } from '../order.ts'
import { typeName } from '../translation.ts'
import { userContent } from '../user-content.ts'
import { type MessageRef, messageOf, type PartUpdate, rememberPart } from './known-message.ts'
import { note } from './note.ts'
import { completeNotified, isNotification } from './task-run.ts'
import type { Translation } from './translation.ts'

/**
 * A part of what the model is told. What the person wrote and attached is one block, under the message's id; what the
 * program added stands by itself.
 */
export function translateUserPart(ref: MessageRef, update: PartUpdate, translation: Translation): void {
  const { part } = update
  switch (part.type) {
    case 'text':
      return part.synthetic === true || part.ignored === true
        ? translateAdded(ref, update, translation)
        : say(ref, update, { type: 'text', text: text(part.text) ?? '' }, translation)
    case 'file':
      return say(ref, update, filePart(part), translation)
    case 'compaction':
      return noteCompaction(ref, update, translation)
    // The text names the agent, and the call that follows says what it is to do.
    case 'agent':
    case 'subtask':
      return
    default:
      translation.report('unknown-block', `user/${typeName(part.type)}`)
  }
}

function say(ref: MessageRef, { id }: PartUpdate, content: UserContentPart, translation: Translation): void {
  rememberPart(ref, { id, blockIds: [ref.messageId], content }, translation)
  sayAgain(ref, translation)
}

/** Puts what is left of the person's message in its block; false if nothing is. */
export function sayAgain(ref: MessageRef, translation: Translation): boolean {
  const { conversationId, messageId } = ref
  const { parts, timestamp } = messageOf(ref, translation)
  // Ids of parts rise in the order in which the parts were made.
  const made = parts.values().sort((left, right) => byText(left.id, right.id))
  const content = userContent(made.flatMap((part) => part.content ?? []))
  if (content === undefined) return false
  translation.upsert(
    conversationId,
    known({
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
  const mediaType = text(mime) ?? ''
  const source = fileSource(text(url) ?? '', mediaType)
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return known({ type: 'file', source, name: text(filename) })
}

function fileSource(url: string, mediaType: string): FileSource {
  const mark = `data:${mediaType};base64,`
  if (url.startsWith(mark)) return { type: 'base64', mediaType, data: url.slice(mark.length) }
  return { type: 'url', url, mediaType }
}

function translateAdded(ref: MessageRef, { part, id }: PartUpdate, translation: Translation): void {
  const content = text(part.text) ?? ''
  const origin: UserMessageOrigin = isNotification(content) ? 'notification' : 'meta'
  const { timestamp, parts } = messageOf(ref, translation)
  const isNews = parts.get(id) === undefined
  translation.upsert(
    ref.conversationId,
    known({ type: 'user_message', id, status: 'complete', content, origin, timestamp }),
  )
  rememberPart(ref, { id, blockIds: [id] }, translation)
  if (isNews && origin === 'notification') completeNotified(content, translation)
}

function noteCompaction(ref: MessageRef, { part, id }: PartUpdate, translation: Translation): void {
  const { timestamp } = messageOf(ref, translation)
  const message = 'Conversation compacted'
  const data = { auto: part.auto === true }
  note(ref.conversationId, { id, subtype: 'compaction', message, data, timestamp }, translation)
  rememberPart(ref, { id, blockIds: [id] }, translation)
}
