import { compareStrings } from '../../../json/compare-strings.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import { typeName } from '../../../session/context.ts'
import { userContent } from '../../../session/user-content.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import type { UserMessageOrigin } from '../../../state/block.ts'
import type { FileSource, UserContentPart } from '../../../state/content.ts'
import type { FileChange } from '../../../state/file-change.ts'
import { completeFromNotification, isTaskNotification } from '../agents/task-run.ts'
import { placeChanges } from '../changes/turn-changes.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownPart } from '../memory.ts'
import { findPart, knownMessage, rememberPart } from '../records/message.ts'
import { claimContent } from '../records/resumed.ts'
import { knownSession } from '../records/session.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { upsertSystemBlock } from './system-block.ts'

/**
 * Translates a part of a user message. The user's own texts and files share one block under the message's id. Each text that
 * the program added is a block under its part's id.
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

function addUserContent(
  ref: MessageRef,
  { id }: PartUpdate,
  content: UserContentPart,
  context: OpencodeContext,
): void {
  const sortId = findPart(ref, id, context)?.sortId ?? claimContent(ref, content, context)
  if (sortId === undefined && !hasRoom(ref, id, context))
    return context.reportUnknown('too-many-parts', `user/${content.type}`)
  rememberPart(ref, omitUndefined({ id, blockIds: [ref.messageId], content, sortId }), context)
  upsertUserMessage(ref, context)
}

/** Each part shows the whole message again, so a message with any number of parts would take quadratic time. */
const MAX_PARTS = 1_000

/** Whether the message shows the part already, or has room for it. */
function hasRoom(ref: MessageRef, partId: string, context: OpencodeContext): boolean {
  const { parts } = knownMessage(ref, context)
  if (parts.size < MAX_PARTS || parts.get(partId)?.content !== undefined) return true
  return contentInOrder(parts.values()).length < MAX_PARTS
}

/** Shows the user's content that is left in a message. Returns false, and shows nothing, if none is left. */
export function upsertUserMessage(ref: MessageRef, context: OpencodeContext): boolean {
  const { conversationId, messageId } = ref
  const { parts, timestamp } = knownMessage(ref, context)
  const content = userContent(contentInOrder(parts.values()))
  if (content === undefined) return false
  const changes = shownChanges(ref, context)
  const block = {
    type: 'user_message',
    id: messageId,
    status: 'complete',
    content,
    timestamp,
    changes,
  } as const
  context.upsert(conversationId, omitUndefined(block))
  return true
}

/** Returns the changes of the turn with absolute paths. Until the session's worktree is known, its folder stands in. */
function shownChanges(ref: MessageRef, context: OpencodeContext): readonly FileChange[] | undefined {
  const { changes = [] } = knownMessage(ref, context)
  if (changes.length === 0) return undefined
  const { worktree, unplacedMessageIds = [] } = knownSession(ref.sessionId, context)
  if (worktree === undefined && !unplacedMessageIds.includes(ref.messageId))
    context.ownSession(ref.sessionId).unplacedMessageIds = [...unplacedMessageIds, ref.messageId]
  const folder = worktree ?? context.facts.cwd
  return folder === undefined ? changes : placeChanges(changes, folder)
}

/** Returns the content of a user's parts. OpenCode makes ascending part ids, so most parts are in order. */
function contentInOrder(parts: readonly KnownPart[]): readonly UserContentPart[] {
  const contents: UserContentPart[] = []
  let last = ''
  for (const part of parts) {
    const { content } = part
    if (content === undefined) continue
    const sortId = sortIdOf(part)
    if (sortId < last) return contentInOrder(parts.toSorted(bySortId))
    contents.push(content)
    last = sortId
  }
  return contents
}

function bySortId(left: KnownPart, right: KnownPart): number {
  return compareStrings(sortIdOf(left), sortIdOf(right))
}

function sortIdOf({ id, sortId = id }: KnownPart): string {
  return sortId
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
  const content = asString(part.text) ?? ''
  const origin: UserMessageOrigin = isTaskNotification(content) ? 'notification' : 'meta'
  const { timestamp } = knownMessage(ref, context)
  const isRepeated = findPart(ref, id, context) !== undefined
  context.upsert(
    ref.conversationId,
    omitUndefined({ type: 'user_message', id, status: 'complete', content, origin, timestamp }),
  )
  rememberPart(ref, { id, blockIds: [id] }, context)
  if (!isRepeated && origin === 'notification') completeFromNotification(content, context)
}

function translateCompaction(ref: MessageRef, { part, id }: PartUpdate, context: OpencodeContext): void {
  const { timestamp } = knownMessage(ref, context)
  const data = { auto: part.auto === true }
  const block = { id, subtype: 'compaction', message: COMPACTED, data, timestamp }
  upsertSystemBlock(ref.conversationId, block, context)
  rememberPart(ref, { id, blockIds: [id] }, context)
}
