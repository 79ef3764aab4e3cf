import { errorBlockId } from '../../../programs/opencode/error-id.ts'
import { type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import { newMessage } from '../records/message.ts'
import type { ResumedThread } from './threads.ts'

/** Remembers the model's messages of a conversation, and the one that is not complete yet. */
export function resumeMessages(thread: ResumedThread, context: OpencodeContext): void {
  const messages = messagesOf(thread)
  const lastId = thread.blocks.map(messageIdOf).findLast((id) => id !== undefined)
  const last = messages.find(({ id }) => id === lastId)
  // The facts name the model of main's last message, although that message may have no block yet.
  const lastModel = thread.conversationId === MAIN ? context.facts.model : last?.model
  const session = context.ownSession(thread.sessionId)
  Object.assign(session, { newestMessageId: lastId, resumedModel: lastModel })
  const lastAt = last ? messages.indexOf(last) : -1
  for (const [at, { id, model, isReported, hasEnded }] of messages.entries()) {
    const isComplete = at < lastAt || hasEnded
    const known = {
      ...newMessage(id),
      isReported,
      isComplete,
      model: model ?? (id === lastId ? lastModel : undefined),
    }
    context.setMessage({ ...thread, messageId: id }, known)
    if (!isComplete) session.openMessageId = id
  }
}

interface ResumedMessage {
  readonly id: string
  readonly model?: string | undefined
  /**
   * The message is the model's for certain. A text alone may be a prompt whose own event was missed: nothing reported its role or model.
   */
  readonly isReported: boolean
  /** The message's tokens are final, or an error with the time of its end is shown. */
  readonly hasEnded: boolean
}

/** Returns the model's messages, in the order of their first blocks. */
function messagesOf({ blocks, usage }: ResumedThread): readonly ResumedMessage[] {
  const messages = new Map<string, ResumedMessage>()
  const endedIds = new Set(blocks.filter(({ timestamp }) => timestamp !== undefined).map(({ id }) => id))
  const add = (id: string, facts: Omit<ResumedMessage, 'id'>) => {
    const before = messages.get(id)
    messages.set(id, {
      id,
      model: before?.model ?? facts.model,
      isReported: before?.isReported === true || facts.isReported,
      hasEnded: before?.hasEnded === true || facts.hasEnded || endedIds.has(errorBlockId(id)),
    })
  }
  for (const block of blocks) {
    const id = messageIdOf(block)
    if (id !== undefined) add(id, { model: modelOf(block), isReported: isModels(block), hasEnded: false })
  }
  for (const { messageId, model, final } of usage)
    add(messageId, { model, isReported: true, hasEnded: final })
  return [...messages.values()]
}

function modelOf(block: ConversationBlock): string | undefined {
  return 'model' in block ? block.model : undefined
}

function isModels(block: ConversationBlock): boolean {
  return block.type !== 'assistant_text' || block.model !== undefined || block.status === 'pending'
}
