import { omitUndefined } from '../../../json/omit-undefined.ts'
import { type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { errorBlockId } from '../blocks/error.ts'
import type { OpencodeContext } from '../context.ts'
import { newMessage, rememberMessage } from '../known/message.ts'
import { knownSession, rememberSession } from '../known/session.ts'
import type { ResumedThread } from './threads.ts'

/** Remembers the model's messages of a conversation, and the one that is not complete yet. */
export function resumeMessages(thread: ResumedThread, context: OpencodeContext): void {
  const ids = messageIds(thread)
  const last = thread.blocks.map(messageIdOf).findLast((id) => id !== undefined)
  const lastAt = last === undefined ? -1 : ids.indexOf(last)
  const lastModel = lastModelOf(last, thread, context)
  rememberLast(last, lastModel, thread, context)
  for (const [at, messageId] of ids.entries()) {
    const isComplete = at < lastAt || hasEnded(messageId, thread)
    const model = modelOf(messageId, thread) ?? (messageId === last ? lastModel : undefined)
    const message = { ...newMessage(messageId), isReported: isModels(messageId, thread), isComplete, model }
    rememberMessage({ ...thread, messageId }, omitUndefined(message), context)
    if (isComplete) continue
    const session = knownSession(thread.sessionId, context)
    rememberSession({ ...session, openMessageId: messageId }, context)
  }
}

/** Returns the model of the last message. The facts name main's, although that message may have no block yet. */
function lastModelOf(
  messageId: string | undefined,
  thread: ResumedThread,
  context: OpencodeContext,
): string | undefined {
  if (thread.conversationId === MAIN) return context.memory.facts.model
  return messageId === undefined ? undefined : modelOf(messageId, thread)
}

function rememberLast(
  newestMessageId: string | undefined,
  resumedModel: string | undefined,
  { sessionId }: ResumedThread,
  context: OpencodeContext,
): void {
  const session = { ...knownSession(sessionId, context), newestMessageId, resumedModel }
  rememberSession(omitUndefined(session), context)
}

/** Returns the ids of the model's messages, in the order of their first blocks. */
function messageIds({ blocks, usage }: ResumedThread): readonly string[] {
  const ids = [...blocks.map(messageIdOf), ...usage.map(({ messageId }) => messageId)]
  return [...new Set(ids.filter((id) => id !== undefined))]
}

/** A message has ended once its tokens are final, or an error with the time of its end is shown. */
function hasEnded(messageId: string, { blocks, usage }: ResumedThread): boolean {
  const isCounted = usage.some((entry) => entry.messageId === messageId && entry.final)
  const id = errorBlockId(messageId)
  return isCounted || blocks.some((block) => block.id === id && block.timestamp !== undefined)
}

function modelOf(messageId: string, { blocks, usage }: ResumedThread): string | undefined {
  const named = blocks.find((block) => messageIdOf(block) === messageId && modelOfBlock(block) !== undefined)
  return (
    (named && modelOfBlock(named)) ??
    usage.find((entry) => entry.messageId === messageId && entry.model !== undefined)?.model
  )
}

function modelOfBlock(block: ConversationBlock): string | undefined {
  return 'model' in block ? block.model : undefined
}

/**
 * Whether the message is the model's for certain. A text alone may be a prompt whose own event was missed: nothing reported its role
 * or model.
 */
function isModels(messageId: string, { blocks, usage }: ResumedThread): boolean {
  const isCertain = (block: ConversationBlock) =>
    block.type !== 'assistant_text' || block.model !== undefined || block.status === 'pending'
  return (
    usage.some((entry) => entry.messageId === messageId) ||
    blocks.some((block) => messageIdOf(block) === messageId && isCertain(block))
  )
}
