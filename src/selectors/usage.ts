import {
  type ConversationThread,
  type MessageUsage,
  TOKEN_COUNTS,
  type TokenUsage,
} from '../state/session.ts'

/** The tokens of several messages. A count is absent if no message has it. */
export interface TokenSum extends TokenUsage {
  /** The number of messages. */
  readonly messages: number
}

/** The tokens of a conversation's messages. Final and provisional counts have separate sums. */
export interface UsageSum {
  readonly final: TokenSum
  readonly provisional: TokenSum
}

/** The sums of no messages. */
export const NO_USAGE: UsageSum = { final: { messages: 0 }, provisional: { messages: 0 } }

/** Returns the token sums of a conversation's own messages. */
export function sumUsage(usage: readonly MessageUsage[]): UsageSum {
  return { final: sum(usage, true), provisional: sum(usage, false) }
}

/** Returns the messages of a subagent without those of its parent: a forked agent starts with copies of them, and they count once. */
export function ownUsage(
  { usage }: ConversationThread,
  parentMessageIds: ReadonlySet<string>,
): readonly MessageUsage[] {
  return usage.filter(({ messageId }) => !parentMessageIds.has(messageId))
}

/** Returns the ids of the messages in a conversation's ledger. */
export function messageIdsOf({ usage }: ConversationThread): ReadonlySet<string> {
  return new Set(usage.map(({ messageId }) => messageId))
}

/** Returns an agent's own sums, and the sums of the agent with all agents below it. */
export function usageWith(
  children: readonly { readonly usage: { readonly total: UsageSum } }[],
  own: UsageSum,
): { readonly own: UsageSum; readonly total: UsageSum } {
  return { own, total: children.reduce((total, { usage }) => addUsage(total, usage.total), own) }
}

function addUsage(left: UsageSum, right: UsageSum): UsageSum {
  return {
    final: addTokens(left.final, right.final),
    provisional: addTokens(left.provisional, right.provisional),
  }
}

function sum(usage: readonly MessageUsage[], isFinal: boolean): TokenSum {
  return usage.reduce<TokenSum>(
    (total, entry) => (entry.final === isFinal ? addTokens(total, { ...entry, messages: 1 }) : total),
    NO_USAGE.final,
  )
}

/** Adds two sums. A count that both lack stays absent. */
export function addTokens(left: TokenSum, right: TokenSum): TokenSum {
  const total: { -readonly [Key in keyof TokenSum]: TokenSum[Key] } = {
    messages: left.messages + right.messages,
  }
  for (const count of TOKEN_COUNTS)
    if ((left[count] ?? right[count]) !== undefined) total[count] = (left[count] ?? 0) + (right[count] ?? 0)
  return total
}
