import type { Mutable } from '../../../json/mutable.ts'
import { asFiniteNumber, asObject, type JsonObject } from '../../../json/values.ts'
import { TOKEN_COUNTS, type TokenUsage } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { MessageRef } from '../memory.ts'
import { messageOf } from './model/model-message.ts'

interface UsageReport {
  readonly usage: TokenUsage
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** Reports a message's tokens if they are new. Later figures replace early ones field by field. */
export function reportUsage(ref: MessageRef, report: UsageReport, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  if (message.isUsageFinal && !report.isFinal) return
  const isSame = isSameUsage(message.usage, report.usage)
  if (isSame && message.isUsageFinal === report.isFinal) return
  const usage = message.usage ? mergeTokens(message.usage, report.usage) : report.usage
  const isNews = message.isUsageFinal !== report.isFinal || !isSameUsage(message.usage, usage)
  if (!isNews || !hasTokens(usage)) return
  const model = report.model ?? message.model
  const changed = context.editMessage(ref)
  changed.usage = usage
  changed.isUsageFinal = report.isFinal
  changed.model = model
  const { conversationId, messageId } = ref
  const { isFinal: final } = report
  if (model === undefined) context.emit({ type: 'usage:reported', conversationId, messageId, usage, final })
  else context.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/**
 * Replaces known figures by later ones. Zero replaces none, as in Claude Code itself: the end of a message may state zero for the tokens
 * of its input.
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
export function tokenUsage(usage: JsonObject): TokenUsage {
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

function hasTokens(usage: TokenUsage): boolean {
  return TOKEN_COUNTS.some((name) => usage[name] !== undefined)
}

function isSameUsage(left: TokenUsage | undefined, right: TokenUsage): boolean {
  return left !== undefined && TOKEN_COUNTS.every((name) => left[name] === right[name])
}
