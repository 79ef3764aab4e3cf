import { isObject, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownMessage } from '../memory.ts'
import { findMessage, findPart, knownMessage, newMessage, rememberPart } from '../records/message.ts'
import { beginTurn, isOfEarlierTurn } from '../records/turn.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { translateText } from './text.ts'
import { translateUserPart } from './user-message.ts'

/** The part types that only user messages have. */
const USER_PART_TYPES: ReadonlySet<unknown> = new Set(['file', 'agent', 'subtask', 'compaction'])

/**
 * Whether a part proves that its message is the user's, although no event has reported the message. The model's texts have the time of
 * their start, and the user's have none.
 */
export function provesUser({ type, synthetic, ignored, time }: JsonObject): boolean {
  if (USER_PART_TYPES.has(type)) return true
  return type === 'text' && (synthetic === true || ignored === true || !isObject(time))
}

/** The part types whose blocks have facts of their message: the role, the model or the time. */
const ATTRIBUTED_TYPES: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'file', 'compaction'])

/** Keeps a part until its message is reported. A client that missed the beginning does not know the message's role. */
export function keepUnattributed(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  if (!ATTRIBUTED_TYPES.has(update.part.type)) return
  const { parts, isReported } = knownMessage(ref, context)
  const part = parts.get(update.id)
  if (part && (!isReported || part.unattributed))
    rememberPart(ref, withChanges(part, { unattributed: isReported ? undefined : update }), context)
}

/** Corrects a message that has parts but no reported role, because another event proves that it is the user's. */
export function attributeToUser(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message || message.isReported || message.isUser) return
  const { status } = context.turn
  const isOld = isOfEarlierTurn(ref, context)
  if (!isOld) beginTurn(ref, undefined, context)
  removeBlocks(ref, message, context)
  context.setMessage(ref, { ...newMessage(message.id), isUser: true })
  translateAgain(ref, message, context)
  // An old prompt that is shown late starts no turn.
  if (isOld && status !== 'idle' && status !== 'running') context.endTurn({ outcome: status })
}

/** Corrects a message whose text seemed to be the user's. Its parts are translated again once the message is known. */
export function attributeToModel(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message?.isUser || message.isReported) return
  removeBlocks(ref, message, context)
  context.ownMessage(ref).isUser = false
}

function removeBlocks(
  { conversationId }: MessageRef,
  { parts }: KnownMessage,
  context: OpencodeContext,
): void {
  const blockIds = new Set(parts.values().flatMap((part) => part.blockIds))
  for (const blockId of blockIds) context.emit({ type: 'block:removed', conversationId, blockId })
}

/** Translates the kept parts of a message again. Their blocks get the role, the model and the time that are known now. */
export function translateAgain(ref: MessageRef, { parts }: KnownMessage, context: OpencodeContext): void {
  for (const { unattributed } of parts.values()) {
    if (!unattributed) continue
    translateKept(ref, unattributed, context)
    keepUnattributed(ref, unattributed, context)
  }
}

function translateKept(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { type } = update.part
  const isText = type === 'text' || type === 'reasoning'
  if (knownMessage(ref, context).isUser) {
    if (type !== 'reasoning') translateUserPart(ref, update, context)
  } else if (isText && findPart(ref, update.id, context)?.isFinal !== false)
    translateText(ref, update, context)
}
