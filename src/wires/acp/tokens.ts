import { asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { hasCounts, MAIN, TOKEN_COUNTS, type TokenUsage } from '../../core/state/session.ts'
import type { OwnMessage } from '../../programs/reader.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { AcpContext, AcpMemory } from './context.ts'

/** Reports the tokens in the context, the size of the context window, and the cost of the session so far. */
export function reportContext(update: JsonObject, output: SessionOutput): void {
  const { amount, currency } = asObject(update.cost)
  const model = asString(asObject(update._meta)['_claude/model'])
  output.updateFacts({
    contextTokens: asFiniteNumber(update.used),
    contextWindow: asFiniteNumber(update.size),
    costUsd: currency === 'USD' ? asFiniteNumber(amount) : undefined,
    model,
  })
}

const TOKENS: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedReadTokens',
  cacheWriteTokens: 'cachedWriteTokens',
  reasoningTokens: 'thoughtTokens',
}

/** Reports the tokens of a turn. The protocol has no tokens of single messages, so the prompt's id stands for its messages. */
export function reportTurnUsage(promptId: string, usage: JsonObject, output: SessionOutput): void {
  const tokens = tokensIn(usage, TOKENS)
  if (Object.values(tokens).every((count) => count === 0)) return
  reportTokens(MAIN, { promptId, usage: tokens }, output)
}

interface TurnTokens {
  readonly promptId: string
  readonly usage: TokenUsage
  readonly model?: string | undefined
}

function reportTokens(
  conversationId: string,
  { promptId, usage, model }: TurnTokens,
  output: SessionOutput,
): void {
  const report = {
    conversationId,
    messageId: promptId,
    usage,
    final: true,
    model: model ?? output.state.facts.model,
  }
  output.emit({ type: 'usage:reported', ...report })
}

/** Adds the tokens of a response to those of its turn. After the end of the turn, the response comes again. */
export function addResponse(conversationId: string, usage: TokenUsage, context: AcpContext): void {
  const promptId = context.notes.values.promptIds.get(conversationId) ?? conversationId
  const known = context.state.usageOf(conversationId, promptId)
  const isOver = conversationId === MAIN ? context.isAfterTurn(MAIN) : context.state.hasEnded(conversationId)
  if (known && isOver) return
  const total = sum(known ?? {}, usage, 1)
  if (hasCounts(total)) reportTokens(conversationId, { promptId, usage: total }, context)
}

type TurnReport = Extract<OwnMessage, { readonly type: 'turn-ended' }>

/** Reports the tokens of an agent's turn. */
export function reportAgentTokens(
  toolUseId: string,
  { promptId, usage, isCopy, model }: TurnReport,
  context: AcpContext,
): void {
  if (!usage || isCopy) return
  const isOfMain = context.state.agentOfCall(toolUseId)?.parentConversationId === MAIN
  if (isOfMain && context.state.turn.status === 'running')
    context.notes.remember({ agentTokens: sum(context.notes.values.agentTokens ?? {}, usage, 1) })
  if (hasCounts(usage)) reportTokens(toolUseId, { promptId, usage, model }, context)
  else context.notes.setEntry('withoutTokens', toolUseId, true)
}

/** Notes that an agent of main has ended, if its tokens are not known. */
export function noteMissingTokens(toolUseId: string, memory: AcpMemory): void {
  const isOfMain = memory.state.agentOfCall(toolUseId)?.parentConversationId === MAIN
  const isKnown =
    memory.state.usagesOf(toolUseId).length > 0 || memory.notes.values.withoutTokens.get(toolUseId)
  if (isOfMain && !isKnown) memory.notes.remember({ hasUnknownTokens: true })
}

/** Reports the tokens of main's turn. The program's own figures hold the turns of main's own agents that ended in it. */
export function reportMainTokens({ promptId, usage, model }: TurnReport, context: AcpContext): void {
  if (model !== undefined) context.updateFacts({ model })
  const { agentTokens = {}, hasUnknownTokens } = context.notes.values
  context.notes.remember({ agentTokens: undefined, hasUnknownTokens: undefined })
  const known = context.state.usageOf(MAIN, promptId)
  const own = known ?? (usage && !hasUnknownTokens ? sum(usage, agentTokens, -1) : {})
  if (hasCounts(own)) reportTokens(MAIN, { promptId, usage: countsOf(own), model }, context)
}

/** Adds the cost of main's turn, which holds that of its agents. */
export function addTurnCost({ promptId, cost, isCopy }: TurnReport, context: AcpContext): void {
  const { pricedTurns, isCostUnknown } = context.notes.values
  if (!cost || isCopy || isCostUnknown || pricedTurns.get(promptId)) return
  context.notes.setEntry('pricedTurns', promptId, true)
  if (cost.isPartial) return context.notes.remember({ isCostUnknown: true })
  const sum = (context.state.facts.costUsd ?? 0) + cost.usd
  // Sums of fractions have further digits.
  context.updateFacts({ costUsd: Math.round(sum * SMALLEST_PARTS) / SMALLEST_PARTS })
}

const SMALLEST_PARTS = 1e10

/** Returns the counts of an entry without its other facts. */
function countsOf(usage: TokenUsage): TokenUsage {
  return sum(usage, {}, 1)
}

function sum(left: TokenUsage, right: TokenUsage, sign: 1 | -1): TokenUsage {
  const counts = TOKEN_COUNTS.filter((name) => left[name] !== undefined || right[name] !== undefined)
  return Object.fromEntries(
    counts.map((name) => [name, Math.max(0, (left[name] ?? 0) + sign * (right[name] ?? 0))]),
  )
}
