import { isTime, parseTime } from '../core/json/iso-time.ts'

/** One message of the user or of the model. */
export interface ConversationMessage {
  readonly id: string
  /** ISO 8601; a time without a zone is read as UTC. */
  readonly timestamp: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly toolsUsed?: readonly string[]
}

/** A stretch of a chat between two boundaries ("conversation boundaries"). */
export interface Conversation {
  /** `conv-<startedAt>`, with a suffix if another conversation has that id. */
  readonly id: string
  /** The timestamp of the first message, unchanged. */
  readonly startedAt: string
  /** Null while the conversation is active. */
  readonly endedAt: string | null
  /** Null until the conversation has a summary; so is `summary`. */
  readonly title: string | null
  readonly summary: string | null
  /** In the order in which they were appended. */
  readonly messages: readonly ConversationMessage[]
}

/** The boundaries between conversations, and the number of conversations that a log keeps. */
export interface ConversationSettings {
  /** 30 by default. A message that comes later than this after the last message begins a new conversation. */
  readonly conversationIdleTimeoutMinutes?: number
  /** 1,000 by default. The active conversation counts. */
  readonly maxConversationsRetained?: number
}

/** The settings where a host passes none. */
export const DEFAULT_CONVERSATION_SETTINGS: Required<ConversationSettings> = Object.freeze({
  conversationIdleTimeoutMinutes: 30,
  maxConversationsRetained: 1000,
})

/** Returns an active conversation without a summary. Its id comes from its start. */
export function newConversation(startedAt: string, messages: readonly ConversationMessage[]): Conversation {
  return { id: `conv-${startedAt}`, startedAt, endedAt: null, title: null, summary: null, messages }
}

/** Returns the latest time in a conversation, because messages may come out of time order. */
export function lastTime({ startedAt, messages }: Pick<Conversation, 'startedAt' | 'messages'>): string {
  return messages.reduce((latest, { timestamp }) => laterTime(latest, timestamp), startedAt)
}

/** Returns the host's time, ISO 8601 or ms since the epoch, as ISO 8601. Throws a `RangeError` if it is not a time. */
export function toIsoTime(now: string | number): string {
  const time = typeof now === 'number' && Math.abs(now) <= MAX_TIME_MS ? new Date(now).toISOString() : now
  if (!isTime(time)) throw new RangeError('pass the time as ISO 8601 or ms since the epoch')
  return time
}

/** The latest time that JavaScript can hold, in ms since the epoch. */
const MAX_TIME_MS = 8.64e15

/** Returns the later of two times, or the first if they are equal. */
export function laterTime(left: string, right: string): string {
  return parseTime(right) > parseTime(left) ? right : left
}
