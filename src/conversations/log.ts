import type { Conversation, ConversationMessage } from './conversation.ts'
import { type EndedConversations, findEnded, itemAt, NO_CONVERSATIONS, newestEnded } from './ended.ts'

/** The conversations of a chat. Immutable: if a function changes nothing, it returns the same reference. */
export interface ConversationLog {
  /** In the order of their end. `pastConversations` lists them. */
  readonly ended: EndedConversations
  readonly active: Conversation | null
  /** The latest time in the active conversation. A message with an earlier time does not change it. */
  readonly lastActiveAt: string | null
  /** The greatest id so far, including dropped conversations. A greater id is new without a search. */
  readonly greatestId: string
  /** The agent has called `end_conversation`. Its reply will be the last message of the active conversation. */
  readonly isEnding: boolean
}

/** Returns a log without conversations. */
export function createConversationLog(): ConversationLog {
  return { ended: NO_CONVERSATIONS, active: null, lastActiveAt: null, greatestId: '', isEnding: false }
}

/** Returns the messages for the model's context: those of the active conversation, and no others. */
export function currentContext({ active }: ConversationLog): readonly ConversationMessage[] {
  return active?.messages ?? NO_MESSAGES
}

const NO_MESSAGES: readonly ConversationMessage[] = Object.freeze([])

/** Returns the conversation with that id, ended or active. */
export function getConversation({ active, ended }: ConversationLog, id: string): Conversation | undefined {
  return active?.id === id ? active : itemAt(ended, findEnded(ended, id))
}

/** Returns the ended conversations, in the order of their end. */
export function pastConversations({ ended }: ConversationLog): readonly Conversation[] {
  return ended.chunks.flat()
}

/** Returns the ended conversations, then the active one. */
export function allConversations(log: ConversationLog): readonly Conversation[] {
  return log.active ? [...pastConversations(log), log.active] : pastConversations(log)
}

/**
 * Returns the conversations that ended last, the newest first; ten by default. Throws a `RangeError` if the count is
 * not a number or is negative.
 */
export function recentConversations({ ended }: ConversationLog, count = 10): readonly Conversation[] {
  if (typeof count !== 'number' || !(count >= 0))
    throw new RangeError('pass how many conversations, 0 or more')
  return newestEnded(ended, count)
}
