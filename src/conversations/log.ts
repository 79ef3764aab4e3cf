import type { Conversation, ConversationMessage } from './conversation.ts'
import { type EndedConversations, findEnded, NONE_ENDED, newestEnded } from './ended.ts'

/** The conversations of a chat. Immutable: every function returns another one, or the same if nothing changed. */
export interface ConversationLog {
  /** Those that have ended, in the order in which they did. `pastConversations` lists them. */
  readonly ended: EndedConversations
  readonly active: Conversation | null
  /** The latest time that the active conversation knows: a message that comes late does not take it back. */
  readonly lastActiveAt: string | null
  /** The greatest id so far, of conversations that are no longer there too: a greater one is new without a search. */
  readonly greatestId: string
  /** The agent has called `end_conversation`: its reply will be the last of the active conversation. */
  readonly isEnding: boolean
}

/** Returns a log without conversations. */
export function createConversationLog(): ConversationLog {
  return { ended: NONE_ENDED, active: null, lastActiveAt: null, greatestId: '', isEnding: false }
}

/** Returns what the model is to be told of before it answers: the messages of the active conversation, and no others. */
export function currentContext({ active }: ConversationLog): readonly ConversationMessage[] {
  return active?.messages ?? NO_MESSAGES
}

const NO_MESSAGES: readonly ConversationMessage[] = Object.freeze([])

/** Returns the conversation with that id, ended or active. */
export function getConversation({ active, ended }: ConversationLog, id: string): Conversation | undefined {
  return active?.id === id ? active : findEnded(ended, id)
}

/** Returns the conversations that have ended, in the order in which they did. */
export function pastConversations({ ended }: ConversationLog): readonly Conversation[] {
  return ended.chunks.flat()
}

/** The same, and the active one behind them. */
export function allConversations(log: ConversationLog): readonly Conversation[] {
  return log.active ? [...pastConversations(log), log.active] : pastConversations(log)
}

/**
 * Returns the conversations that have ended last, the newest first: ten unless told otherwise. Throws a `RangeError` for a count
 * that is none.
 */
export function recentConversations({ ended }: ConversationLog, count = 10): readonly Conversation[] {
  if (typeof count !== 'number' || !(count >= 0))
    throw new RangeError('pass how many conversations, 0 or more')
  return newestEnded(ended, count)
}
