import { type ConversationBlock, isCall, isModelText, messageIdOf } from '../state/block.ts'
import {
  type ConversationThread,
  contextSize,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type TokenUsage,
} from '../state/session.ts'
import { findConversation } from './find.ts'
import { type SubagentPlace, subagentPlaces } from './forest.ts'
import { memoizeWeakly } from './memoize.ts'
import { ownUsage } from './usage.ts'

/** The prices of a model, in US dollars per million tokens. */
export interface Price {
  /** Input that was neither read from the cache nor written to it. */
  readonly input: number
  /** Thinking is part of the output. */
  readonly output: number
  /** Input that the provider read from its cache. */
  readonly cacheRead: number
  /** Cache writes that are kept for five minutes. */
  readonly cacheWrite5m: number
  /** Cache writes that are kept for an hour. */
  readonly cacheWrite1h: number
  /** In US dollars per search. */
  readonly webSearch?: number
}

/** A usual ratio of prices. It divides a cost that a program states for the session alone. */
export const USUAL_RATIO: Price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 }

/** The cost of one conversation, in US dollars. */
interface ConversationCost {
  /** `'main'` or the `toolUseId`. */
  readonly conversationId: string
  /** The cost of its own messages. */
  readonly usd: number
  /** The cost of the agent and of all agents below it. */
  readonly totalUsd: number
}

/** The cost of a session. */
export interface SessionCost {
  /** In US dollars, without the messages of unpriced models. */
  readonly usd: number
  /**
   * The models without a price, each once. A message whose model is not known counts as `unknown`. So does a model
   * with `unsplitTokens`, because input and output have prices of their own.
   */
  readonly unpriced: readonly string[]
  /** Whether some figures are provisional, so that the cost may still grow. */
  readonly isProvisional: boolean
  /** Main first, then the subagents, parents before their children. */
  readonly conversations: readonly ConversationCost[]
}

/**
 * Returns the cost of a session's messages by the prices of their models. A parent's message that was copied into a
 * forked agent counts once. A message of main that names no model has that of the session, unless a `program` wrote it,
 * because programs state sums of several models without a name. A model for which `priceOf` returns undefined is
 * `unpriced`. The program's own figure is `state.session.costUsd`; it may include requests that are in no conversation.
 * Throws a `TypeError` if a price lacks a figure, such as `cacheRead` in a price list from a file: the sum would be no number.
 */
export function costOf(
  state: SessionConversationState,
  priceOf: (model: string) => Price | undefined,
): SessionCost {
  const { unpricedMessages: _unpricedMessages, ...cost } = billOf(state, priceOf)
  return cost
}

/** The cost of a session, with the messages that it lacks. */
export interface SessionBill extends SessionCost {
  /** Their number in each conversation, by its id. */
  readonly unpricedMessages: ReadonlyMap<string, number>
}

/** Returns the cost of a session as `costOf` does, with the number of messages that it lacks. */
export function billOf(
  state: SessionConversationState,
  priceOf: (model: string) => Price | undefined,
): SessionBill {
  const bill = new Bill(priceOf)
  const { subagents } = state
  const places = subagentPlaces(state)
  const parentOf = ({ parent }: SubagentPlace) => (parent === undefined ? undefined : subagents[parent])
  const own = new Map<object, number>([[state, bill.add(MAIN, state.usage, modelOfMain(state))]])
  for (const place of places) {
    const subagent = subagents[place.index]
    if (!subagent) continue
    const usage = ownUsage(subagent.usage, (parentOf(place) ?? state).usage)
    own.set(subagent, bill.add(subagent.toolUseId, usage))
  }
  const totals = new Map(own)
  const sumOf = (sums: ReadonlyMap<object, number>, thread: object) => sums.get(thread) ?? 0
  // From the leaves up.
  for (const place of places.toReversed()) {
    const [subagent, parent] = [subagents[place.index], parentOf(place) ?? state]
    if (subagent) totals.set(parent, sumOf(totals, parent) + sumOf(totals, subagent))
  }
  const costIn = (thread: object, conversationId: string): ConversationCost => ({
    conversationId,
    usd: sumOf(own, thread),
    totalUsd: sumOf(totals, thread),
  })
  const costs = places.flatMap(({ index }) => {
    const subagent = subagents[index]
    return subagent ? [costIn(subagent, subagent.toolUseId)] : []
  })
  return {
    usd: sumOf(totals, state),
    unpriced: [...bill.unpriced],
    unpricedMessages: bill.unpricedMessages,
    isProvisional: bill.isProvisional,
    conversations: [costIn(state, MAIN), ...costs],
  }
}

/** Returns the model of main's messages that name none. */
export function modelOfMain({ session }: SessionConversationState): string | undefined {
  return session.program === undefined ? session.model : undefined
}

/**
 * Returns how full the context is: the tokens that the program reports for it, or those of the last message's input
 * and output. After a compaction it is the size that the program states, until the next reply. Undefined if it is not
 * known. `conversationId` is `'main'` (the default), or either id of a subagent.
 */
export function contextTokens(
  state: SessionConversationState,
  conversationId: string = MAIN,
): number | undefined {
  const { contextTokens: reported } = state.session
  if (conversationId === MAIN && reported !== undefined) return reported
  const thread = findConversation(state, conversationId)
  return thread && contextOfThread(thread)
}

/** Returns the tokens in the context of a conversation, by its messages and its last compaction. */
export function contextOfThread({ blocks, usage }: ConversationThread): number | undefined {
  const compaction = lastCompaction(blocks)
  const last = lastWithInput(usage)
  if (!compaction) return last && contextSize(last)
  // Until the next reply states its tokens, the size from before the compaction would be wrong.
  const isLater = last && isOfLaterReply(last, compaction)
  return isLater ? contextSize(last) : compaction.contextTokens
}

interface Compaction {
  readonly contextTokens: number | undefined
  /** The blocks behind it. */
  readonly later: readonly ConversationBlock[]
  /** The ids of the model's messages before it. */
  readonly earlierIds: ReadonlySet<string>
}

const lastCompaction = /* @__PURE__ */ memoizeWeakly(
  (blocks: readonly ConversationBlock[]): Compaction | undefined => {
    const at = blocks.findLastIndex((block) => block.type === 'system' && block.subtype === 'compaction')
    const mark = blocks[at]
    if (mark?.type !== 'system') return undefined
    const earlierIds = new Set(blocks.slice(0, at).flatMap((block) => messageIdOf(block) ?? []))
    return { contextTokens: mark.contextTokens, later: blocks.slice(at + 1), earlierIds }
  },
)

/** Whether a reply has come since the compaction, and the tokens are not those of an earlier one. */
function isOfLaterReply({ messageId }: MessageUsage, { later, earlierIds }: Compaction): boolean {
  return !earlierIds.has(messageId) && later.some((block) => isModelText(block) || isCall(block))
}

/** Returns the last message whose input, or whose sum of input and output, is known. */
export function lastWithInput(usage: readonly MessageUsage[]): MessageUsage | undefined {
  return usage.findLast(
    ({ inputTokens, unsplitTokens }) => inputTokens !== undefined || unsplitTokens !== undefined,
  )
}

/** Adds up the cost of messages. */
class Bill {
  readonly unpriced = new Set<string>()
  /** The number of messages without a cost in each conversation. */
  readonly unpricedMessages = new Map<string, number>()
  isProvisional = false
  readonly #priceOf: (model: string) => Price | undefined

  constructor(priceOf: (model: string) => Price | undefined) {
    this.#priceOf = priceOf
  }

  /** Returns the cost of a conversation's messages, in US dollars. Those that name no model are of the given one. */
  add(conversationId: string, usage: readonly MessageUsage[], model?: string): number {
    const costs = usage.flatMap((entry) => this.#costOf(entry, entry.model ?? model) ?? [])
    this.unpricedMessages.set(conversationId, usage.length - costs.length)
    return costs.reduce((left, right) => left + right, 0)
  }

  #costOf(entry: MessageUsage, model: string | undefined): number | undefined {
    if (!entry.final) this.isProvisional = true
    const price = model === undefined ? undefined : this.#priceOf(model)
    if (price && entry.unsplitTokens === undefined) return tokenCost(entry, wholePrice(model, price))
    this.unpriced.add(model ?? 'unknown')
    return undefined
  }
}

const FIGURES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const

function wholePrice(model: string | undefined, price: Price): Price {
  const missing = FIGURES.filter((figure) => !Number.isFinite(price[figure]))
  if (missing.length === 0) return price
  throw new TypeError(`priceOf(${JSON.stringify(model)}): pass a number for ${missing.join(', ')}`)
}

/** Returns what tokens usually cost, in a unit of its own: it divides a cost between agents. */
export function usualCost(tokens: TokenUsage): number {
  return tokenCost(tokens, USUAL_RATIO) + (tokens.unsplitTokens ?? 0) / 1e6
}

/** Returns the cost of tokens whose parts are known, in US dollars. */
export function tokenCost(
  {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheWrite1hTokens = 0,
    cacheWriteTokens = cacheWrite1hTokens,
    webSearches = 0,
  }: TokenUsage,
  { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearch = 0 }: Price,
): number {
  const perMillion =
    inputTokens * input +
    outputTokens * output +
    cacheReadTokens * cacheRead +
    (cacheWriteTokens - cacheWrite1hTokens) * cacheWrite5m +
    cacheWrite1hTokens * cacheWrite1h
  return perMillion / 1e6 + webSearches * webSearch
}
