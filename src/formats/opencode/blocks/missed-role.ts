import type { JsonObject } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'
import { findMessage, knownMessage, newMessage, rememberMessage, rememberPart } from '../known/message.ts'
import { beginTurn } from '../known/turn.ts'
import type { KnownMessage } from '../memory.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { translateUserPart } from './user-message.ts'

/** The part types that only user messages have. */
const USER_PART_TYPES: ReadonlySet<unknown> = new Set(['file', 'agent', 'subtask', 'compaction'])

/** Whether a part proves that its message is the user's, although no event has reported the message. */
export function provesUser({ type, synthetic, ignored }: JsonObject): boolean {
  return USER_PART_TYPES.has(type) || (type === 'text' && (synthetic === true || ignored === true))
}

/** Keeps a text until the role of its message is reported. A client that missed the beginning takes the text for the model's. */
export function keepUnattributed(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { parts, isReported } = knownMessage(ref, context)
  const part = parts.get(update.id)
  if (part && !isReported) rememberPart(ref, { ...part, unattributed: update }, context)
}

/** Corrects a message that has parts but no reported role, because another event proves that it is the user's. */
export function attributeToUser(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message || message.isReported || message.isUser) return
  const { turn } = context.memory
  const isAnswered = hasLaterAnswer(ref, context)
  if (!isAnswered) beginTurn(ref, undefined, context)
  const { conversationId } = ref
  const blockIds = message.parts.values().flatMap((part) => part.blockIds)
  for (const blockId of blockIds) context.emit({ type: 'block:removed', conversationId, blockId })
  rememberMessage(ref, { ...newMessage(message.id), isUser: true }, context)
  translateAgain(ref, message, context)
  // An old prompt that is shown late starts no turn.
  if (isAnswered && turn !== 'idle' && turn !== 'running') context.endTurn({ outcome: turn })
}

/** Whether the model has begun a message after the prompt. Ids of messages ascend. */
function hasLaterAnswer({ messageId }: MessageRef, { memory }: OpencodeContext): boolean {
  return memory.messages
    .values()
    .some(({ id, isUser, isReported }) => isReported && !isUser && id > messageId)
}

/** Translates the kept parts of a message again, as the user's. Their blocks get the message's time, once it is reported. */
export function translateAgain(ref: MessageRef, { parts }: KnownMessage, context: OpencodeContext): void {
  for (const { unattributed } of parts.values()) {
    if (!unattributed) continue
    translateUserPart(ref, unattributed, context)
    keepUnattributed(ref, unattributed, context)
  }
}
