import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, type JsonObject } from '../../../core/json/values.ts'
import type { UserMessageBlock, UserMessageOrigin } from '../../../core/state/block.ts'
import { type FileSource, type UserContentPart, userContent } from '../../../core/state/content.ts'
import type { Memory } from '../../../reading/context.ts'
import { typeName } from '../../../reading/context.ts'
import { COMPACTED } from '../../kit/compaction.ts'
import { completeFromNotification, isTaskNotification } from '../agents/task.ts'
import type { OpencodeContext } from '../context.ts'
import { addToNote, findPrompt, messageNote, noteMessage } from '../messages.ts'
import type { MessageRef, PartUpdate } from '../place.ts'
import { upsertSystemBlock } from './system-block.ts'
import { forgetPlacedChanges, shownChanges } from './turn-changes.ts'

/**
 * Translates a part of a user message. The user's own texts and files share one block under the message's id. Each
 * text that the program added is a block under its part's id.
 */
export function translateUserPart(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { part } = update
  switch (part.type) {
    case 'text':
      return part.synthetic === true || part.ignored === true
        ? translateSyntheticText(ref, update, context)
        : addUserContent(ref, update, { type: 'text', text: asString(part.text) ?? '' }, context)
    case 'file':
      return addUserContent(ref, update, filePart(part), context)
    case 'compaction':
      return translateCompaction(ref, update, context)
    // The message's text names the agent, and the following call holds the agent's prompt.
    case 'agent':
    case 'subtask':
      return
    default:
      context.reportUnknown('unknown-block', `user/${typeName(part.type)}`)
  }
}

/** A part of a user message with its id. It is empty if a state alone shows the part. */
interface ContentPart {
  readonly id: string
  readonly content: UserContentPart
}

const UNKNOWN_ID = ''

/** Returns the user's own parts in a message, in order. */
export function contentParts(ref: MessageRef, memory: Memory<OpencodeContext>): readonly ContentPart[] {
  const { content = [] } = findPrompt(ref, memory.state) ?? {}
  const ids = memory.notes.values.contentParts.get(memory.notes.keyOf(ref.sessionId, ref.messageId)) ?? []
  const contents = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return contents.map((each, at) => ({ id: ids[at] ?? UNKNOWN_ID, content: each }))
}

/** Each part shows the whole message again, so a message with any number of parts would take quadratic time. */
const MAX_PARTS = 1_000

function addUserContent(
  ref: MessageRef,
  { id }: PartUpdate,
  content: UserContentPart,
  context: OpencodeContext,
): void {
  const parts = contentParts(ref, context)
  const known = parts.findIndex((part) => part.id === id)
  const at = known < 0 ? parts.findIndex((part) => isSameContent(part, content)) : known
  if (at < 0 && parts.length >= MAX_PARTS)
    return context.reportUnknown('too-many-parts', `user/${content.type}`)
  showUserMessage(ref, withPart(parts, { id, content }, at), context)
}

/** Whether a part of an opened state, which has no id, is the one with that content. */
function isSameContent(part: ContentPart, content: UserContentPart): boolean {
  return part.id === UNKNOWN_ID && isEqual(part.content, content)
}

/** Returns the parts with one more, or with another version of the one at that place. OpenCode makes ascending part ids. */
function withPart(parts: readonly ContentPart[], part: ContentPart, at: number): readonly ContentPart[] {
  if (at >= 0) return parts.map((each, index) => (index === at ? part : each))
  const behind = parts.findIndex(({ id }) => id > part.id)
  const end = behind < 0 ? parts.length : behind
  return [...parts.slice(0, end), part, ...parts.slice(end)]
}

/** Shows the user's own parts of a message in one block. Without any part it shows nothing. */
export function showUserMessage(
  ref: MessageRef,
  parts: readonly ContentPart[],
  context: OpencodeContext,
): void {
  const content = userContent(parts.map((part) => part.content))
  const key = context.notes.keyOf(ref.sessionId, ref.messageId)
  if (content === undefined) return
  const ids = parts.map(({ id }) => id)
  if (!isEqual(context.notes.values.contentParts.get(key), ids))
    context.notes.setEntry('contentParts', key, ids)
  upsertPrompt(ref, content, context)
}

/** Shows the words of a user message again, with the time and the changes of the turn that are known now. */
export function refreshUserMessage(ref: MessageRef, context: OpencodeContext): void {
  const { content } = findPrompt(ref, context.state) ?? {}
  if (content !== undefined) upsertPrompt(ref, content, context)
}

function upsertPrompt(ref: MessageRef, content: UserMessageBlock['content'], context: OpencodeContext): void {
  const { conversationId, messageId: id } = ref
  const timestamp = timeOf(ref, context)
  const changes = shownChanges(ref, context)
  context.upsert(conversationId, {
    type: 'user_message',
    id,
    status: 'complete',
    content,
    timestamp,
    changes,
  })
  forgetPlacedChanges(ref, context)
  // The block shows both from now on.
  const note = messageNote(ref, context.notes)
  if (note?.isUser || note?.timestamp !== undefined)
    noteMessage(ref, { isUser: undefined, timestamp: undefined }, context)
}

/** Returns the time of a user message. */
function timeOf(ref: MessageRef, memory: Memory<OpencodeContext>): string | undefined {
  return messageNote(ref, memory.notes)?.timestamp ?? findPrompt(ref, memory.state)?.timestamp
}

function filePart({ mime, filename, url }: JsonObject): UserContentPart {
  const mediaType = asString(mime) ?? ''
  const source = fileSource(asString(url) ?? '', mediaType)
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return omitUndefined({ type: 'file', source, name: asString(filename) })
}

function fileSource(url: string, mediaType: string): FileSource {
  const prefix = `data:${mediaType};base64,`
  if (url.startsWith(prefix)) return { type: 'base64', mediaType, data: url.slice(prefix.length) }
  return { type: 'url', url, mediaType }
}

/** Translates a text that the program added: a background subagent's end, or a hint for the model. */
function translateSyntheticText(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { conversationId } = ref
  const content = asString(part.text) ?? ''
  const origin: UserMessageOrigin = isTaskNotification(content) ? 'notification' : 'meta'
  const before = context.state.findBlock(conversationId, id)
  const timestamp = timeOf(ref, context) ?? before?.timestamp
  context.upsert(conversationId, { type: 'user_message', id, status: 'complete', content, origin, timestamp })
  addToNote(ref, 'blockIds', id, context)
  if (!before && origin === 'notification') completeFromNotification(content, context)
}

function translateCompaction(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { conversationId } = ref
  const timestamp = timeOf(ref, context) ?? context.state.findBlock(conversationId, id)?.timestamp
  const data = { auto: part.auto === true }
  upsertSystemBlock(
    conversationId,
    { id, subtype: 'compaction', message: COMPACTED, data, timestamp },
    context,
  )
  addToNote(ref, 'blockIds', id, context)
}
