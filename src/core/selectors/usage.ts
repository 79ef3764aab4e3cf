import { type MessageUsage, TOKEN_COUNTS, type TokenUsage } from '../state/session.ts'
import { memoizeWeakly } from './memoize.ts'

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

/** Returns the token sums of a conversation's own messages. For the same list it is the same object. */
export const sumUsage: (usage: readonly MessageUsage[]) => UsageSum = /* @__PURE__ */ memoizeWeakly(
  (usage: readonly MessageUsage[]) => ({ final: sum(usage, true), provisional: sum(usage, false) }),
)

/** Returns the messages of a subagent without those of its parent: a forked agent starts with copies of them, and they count once. */
export function ownUsage(
  usage: readonly MessageUsage[],
  ofParent: readonly MessageUsage[],
): readonly MessageUsage[] {
  const messageIds = messageIdsOf(ofParent)
  const isCopy = ({ messageId }: MessageUsage) => messageIds.has(messageId)
  return usage.some(isCopy) ? usage.filter((entry) => !isCopy(entry)) : usage
}

const messageIdsOf = /* @__PURE__ */ memoizeWeakly(
  (usage: readonly MessageUsage[]): ReadonlySet<string> => new Set(usage.map(({ messageId }) => messageId)),
)

/** The sums of an agent's own messages, and of the agent with all agents below it. */
export interface AgentUsage {
  readonly own: UsageSum
  readonly total: UsageSum
}

type WithUsage = readonly { readonly usage: AgentUsage }[]

/** Returns the tokens of an agent with all agents below it: the final counts and the provisional ones together. */
export function totalTokens({ usage: { total } }: { readonly usage: AgentUsage }): TokenSum {
  return addTokens(total.final, total.provisional)
}

/** Returns the tokens of an agent alone: the final counts and the provisional ones together. */
export function ownTokens({ usage: { own } }: { readonly usage: AgentUsage }): TokenSum {
  return addTokens(own.final, own.provisional)
}

/** The last result for an agent's own sums, and the children that it was computed with. */
const knownUsage = /* @__PURE__ */ new WeakMap<
  UsageSum,
  { readonly children: WithUsage; readonly usage: AgentUsage }
>()

/** Returns an agent's sums. As long as no sum changes, it is the same object. */
export function usageWith(children: WithUsage, own: UsageSum): AgentUsage {
  const known = knownUsage.get(own)
  if (known && haveSameTotals(known.children, children)) return known.usage
  const usage = { own, total: children.reduce((total, child) => addUsage(total, child.usage.total), own) }
  knownUsage.set(own, { children, usage })
  return usage
}

function haveSameTotals(left: WithUsage, right: WithUsage): boolean {
  return left.length === right.length && left.every(({ usage }, at) => usage.total === right[at]?.usage.total)
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
