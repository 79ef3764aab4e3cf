import { later } from './time.ts'

/** What a person or the model said. */
export interface ConversationMessage {
  readonly id: string
  /** ISO 8601; a time without a zone is read as UTC. */
  readonly timestamp: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly toolsUsed?: readonly string[]
}

/** Messages that belong together ("conversation boundaries"). */
export interface Conversation {
  /** `conv-<startedAt>`, with a suffix if that is taken. */
  readonly id: string
  /** The time of its first message, as that tells it. */
  readonly startedAt: string
  /** Null while it is active. */
  readonly endedAt: string | null
  /** Null until it has been summarised, like the summary. */
  readonly title: string | null
  readonly summary: string | null
  /** In the order in which they came. */
  readonly messages: readonly ConversationMessage[]
}

/** Where one conversation ends and the next one begins, and how many are kept. */
export interface ConversationSettings {
  /** 30 where it is left out. A message that comes later than this after the last one begins a new conversation. */
  readonly conversationIdleTimeoutMinutes?: number
  /** 1,000 where it is left out, the active one among them. */
  readonly maxConversationsRetained?: number
}

/** Returns the conversation that messages begin, which nobody has ended or summarised, under the id of its start. */
export function newConversation(startedAt: string, messages: readonly ConversationMessage[]): Conversation {
  return { id: `conv-${startedAt}`, startedAt, endedAt: null, title: null, summary: null, messages }
}

/** Returns the latest time that a conversation knows: messages may have come out of time order. */
export function lastTime({ startedAt, messages }: Pick<Conversation, 'startedAt' | 'messages'>): string {
  return messages.reduce((latest, { timestamp }) => later(latest, timestamp), startedAt)
}
