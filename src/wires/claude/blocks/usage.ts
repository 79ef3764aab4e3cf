import type { Mutable } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, type JsonObject } from '../../../core/json/values.ts'
import { hasCounts, TOKEN_COUNTS, type TokenUsage } from '../../../core/state/session.ts'
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
  context: ClaudeContext,
): void {
  const known = context.usageOf(conversationId, messageId)
  if (known?.final && !final) return
  const isSameState = known?.final === final
  if (known && isSameState && isSameUsage(known, stated)) return
  const usage = known ? mergeTokens(known, stated) : stated
  if ((known && isSameState && isSameUsage(known, usage)) || !hasCounts(usage)) return
  const model = statedModel ?? known?.model
  if (model === undefined) context.emit({ type: 'usage:reported', conversationId, messageId, usage, final })
  else context.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Reports that the known tokens of a message are final: a person stopped it, so no line states later ones. */
export function finalizeTokens(ref: MessageRef, context: ClaudeContext): void {
  const known = context.usageOf(ref.conversationId, ref.messageId)
  if (known) reportUsage(ref, { usage: known, isFinal: true }, context)
}

/**
 * Reports the tokens of an agent's last message that the result of its call states. A stream has only the first
 * figures of that message. Older records state the sum alone, so the rest of it is output. A stream may lack the last
 * message, so the message must have the agent's report.
 */
export function reportAgentTokens(
  toolUseId: string,
  { record, report }: { readonly record: JsonObject; readonly report: string | undefined },
  context: ClaudeContext,
): void {
  const messageId = context.notes.isStream ? lastMessageOf(toolUseId, context) : undefined
  if (messageId === undefined || !hasText(report, { conversationId: toolUseId, messageId }, context)) return
  const known = context.usageOf(toolUseId, messageId)
  if (known?.final) return
  const usage = tokenUsage(asObject(record.usage))
  const total = asFiniteNumber(record.totalTokens) ?? asFiniteNumber(record.total_tokens)
  if (!hasCounts(usage) && known && total !== undefined) {
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = known
    const rest = total - inputTokens - cacheReadTokens - cacheWriteTokens
    if (rest >= outputTokens) usage.outputTokens = rest
  }
  if (hasCounts(usage))
    reportUsage({ conversationId: toolUseId, messageId }, { usage, isFinal: true }, context)
}

function hasText(
  text: string | undefined,
  { conversationId, messageId }: MessageRef,
  context: ClaudeContext,
): boolean {
  for (const block of context.messageFromEnd(conversationId, messageId))
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
