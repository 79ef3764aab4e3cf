import type { Mutable } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { messageOfResult } from '../../../core/reducer/usage.ts'
import { toolResultBlockId } from '../../../core/state/block.ts'
import { contextSize, hasCounts, TOKEN_COUNTS, type TokenUsage } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { ClaudeContext } from '../notes.ts'
import { lastMessageOf, type MessageRef } from './model/message-stream.ts'

interface UsageReport {
  readonly usage: TokenUsage
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** Reports a message's tokens if they are new. Later figures replace early ones field by field. */
export function reportUsage(
  { conversationId, messageId }: MessageRef,
  { usage: stated, isFinal: final, model: statedModel }: UsageReport,
  output: SessionOutput,
): void {
  const known = output.state.usageOf(conversationId, messageId)
  if (known?.final && !final) return
  const isSameState = known?.final === final
  if (known && isSameState && isSameUsage(known, stated)) return
  const usage = known ? mergeTokens(known, stated) : stated
  if ((known && isSameState && isSameUsage(known, usage)) || !hasCounts(usage)) return
  const model = statedModel ?? known?.model
  if (model === undefined) output.emit({ type: 'usage:reported', conversationId, messageId, usage, final })
  else output.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Reports that the known tokens of a message are final: a person stopped it, so no line states later ones. */
export function finalizeTokens(ref: MessageRef, output: SessionOutput): void {
  const known = output.state.usageOf(ref.conversationId, ref.messageId)
  if (known) reportUsage(ref, { usage: known, isFinal: true }, output)
}

interface AgentResultTokens {
  /** The call whose result reports the end of the run. */
  readonly callId: string
  readonly record: JsonObject
  readonly report: string | undefined
}

/**
 * Reports the tokens of an agent's last message that the result of its call states. A stream has only the first
 * figures of that message. It may also lack the message: then the tokens get an entry of their own.
 */
export function reportAgentTokens(
  conversationId: string,
  { callId, record, report }: AgentResultTokens,
  context: ClaudeContext,
): void {
  const stated = tokenUsage(asObject(record.usage))
  const total = asFiniteNumber(record.totalTokens) ?? asFiniteNumber(record.total_tokens)
  const usage: TokenUsage = hasCounts(stated) || total === undefined ? stated : { unsplitTokens: total }
  if (contextSize(usage) === 0) return
  const messageId = lastMessageOf(conversationId, context.state)
  const ref = messageId === undefined ? undefined : { conversationId, messageId }
  if (ref && context.notes.values.isStream && hasText(report, ref, context.state))
    completeTokens(ref, usage, context)
  else {
    const report = { usage, isFinal: true, model: asString(record.resolvedModel) }
    reportTokensOfResult({ conversationId, messageId: toolResultBlockId(callId) }, report, context)
  }
}

/** Completes the tokens of an agent's last message. Older records state the sum alone, so the rest of it is output. */
function completeTokens(ref: MessageRef, stated: TokenUsage, output: SessionOutput): void {
  const known = output.state.usageOf(ref.conversationId, ref.messageId)
  if (known?.final) return
  const { unsplitTokens, ...split } = stated
  const usage: Mutable<TokenUsage> = split
  if (known && unsplitTokens !== undefined) {
    const outputTokens = unsplitTokens - contextSize({ ...known, outputTokens: 0 })
    if (outputTokens < (known.outputTokens ?? 0)) return
    usage.outputTokens = outputTokens
  } else if (unsplitTokens !== undefined) usage.unsplitTokens = unsplitTokens
  reportUsage(ref, { usage, isFinal: true }, output)
}

function reportTokensOfResult(
  { conversationId, messageId }: MessageRef,
  { usage, isFinal: final, model: stated }: UsageReport,
  output: SessionOutput,
): void {
  const known = output.state.usagesOf(conversationId)
  const message = messageOfResult(usage, known)
  if (message)
    return reportUsage({ conversationId, messageId: message.messageId }, { usage, isFinal: final }, output)
  if (output.state.usageOf(conversationId, messageId)) return
  const model = stated ?? known.at(-1)?.model
  output.emit({ type: 'usage:reported', conversationId, messageId, usage, final, fromResult: true, model })
}

function hasText(
  text: string | undefined,
  { conversationId, messageId }: MessageRef,
  state: SessionLookups,
): boolean {
  for (const block of state.messageFromEnd(conversationId, messageId))
    if (block.type === 'assistant_text') return block.content === text
  return false
}

/**
 * Replaces known figures by later ones. Zero replaces none, as in Claude Code itself: the end of a message may state
 * zero for the tokens of its input.
 */
function mergeTokens(known: TokenUsage, later: TokenUsage): TokenUsage {
  const usage: Mutable<TokenUsage> = {}
  for (const name of TOKEN_COUNTS) {
    const count = later[name] || (known[name] ?? later[name])
    if (count !== undefined) usage[name] = count
  }
  return usage
}

/** Reads the token counts of the API's `usage`. */
export function tokenUsage(usage: JsonObject): Mutable<TokenUsage> {
  const tokens: Mutable<TokenUsage> = {}
  const inputTokens = asFiniteNumber(usage.input_tokens)
  const outputTokens = asFiniteNumber(usage.output_tokens)
  const cacheReadTokens = asFiniteNumber(usage.cache_read_input_tokens)
  const cacheWriteTokens = asFiniteNumber(usage.cache_creation_input_tokens)
  if (inputTokens !== undefined) tokens.inputTokens = inputTokens
  if (outputTokens !== undefined) tokens.outputTokens = outputTokens
  if (cacheReadTokens !== undefined) tokens.cacheReadTokens = cacheReadTokens
  if (cacheWriteTokens !== undefined) tokens.cacheWriteTokens = cacheWriteTokens
  // Files state zeros that streams omit.
  const reasoningTokens = asFiniteNumber(asObject(usage.output_tokens_details).thinking_tokens)
  const cacheWrite1hTokens = asFiniteNumber(asObject(usage.cache_creation).ephemeral_1h_input_tokens)
  const webSearches = asFiniteNumber(asObject(usage.server_tool_use).web_search_requests)
  if (reasoningTokens) tokens.reasoningTokens = reasoningTokens
  if (cacheWrite1hTokens) tokens.cacheWrite1hTokens = cacheWrite1hTokens
  if (webSearches) tokens.webSearches = webSearches
  return tokens
}

function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return TOKEN_COUNTS.every((name) => left[name] === right[name])
}
