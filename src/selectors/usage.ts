import type { MessageUsage, TokenUsage } from '../state/session.ts'

/** Tokens of several messages. A count that no message knows is absent. */
export interface TokenSum extends TokenUsage {
  /** How many messages were counted. */
  readonly messages: number
}

/** Sums of a ledger; provisional figures stay apart from final ones. */
export interface UsageSum {
  readonly final: TokenSum
  readonly provisional: TokenSum
}

/** The sums of no messages. */
export const NO_USAGE: UsageSum = { final: { messages: 0 }, provisional: { messages: 0 } }

/** Returns the sums of a conversation's own messages. */
export function sumUsage(usage: readonly MessageUsage[]): UsageSum {
  return { final: sum(usage, true), provisional: sum(usage, false) }
}

/** Returns an agent's own sums, and those of it together with all that it started. */
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

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

function sum(usage: readonly MessageUsage[], isFinal: boolean): TokenSum {
  return usage.reduce<TokenSum>(
    (total, entry) => (entry.final === isFinal ? addTokens(total, { ...entry, messages: 1 }) : total),
    NO_USAGE.final,
  )
}

/** Returns the tokens of two sums; what neither knows stays unknown. */
export function addTokens(left: TokenSum, right: TokenSum): TokenSum {
  const total: { -readonly [Key in keyof TokenSum]: TokenSum[Key] } = {
    messages: left.messages + right.messages,
  }
  for (const count of COUNTS)
    if ((left[count] ?? right[count]) !== undefined) total[count] = (left[count] ?? 0) + (right[count] ?? 0)
  return total
}
