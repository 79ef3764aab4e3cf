import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, type JsonObject } from '../../../json/values.ts'
import { TOKEN_COUNTS, type TokenUsage } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import { type MessageRef, messageOf, storeMessage } from './model-message.ts'

interface UsageReport {
  readonly usage: TokenUsage
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** Reports a message's tokens if they are new. Later figures replace early ones field by field. */
export function reportUsage(ref: MessageRef, report: UsageReport, context: ClaudeContext): void {
  const message = messageOf(ref, context)
  if (message.isUsageFinal && !report.isFinal) return
  const usage = mergeTokens(message.usage, report.usage)
  const isNews = message.isUsageFinal !== report.isFinal || !isSameUsage(message.usage, usage)
  if (!isNews || !hasTokens(usage)) return
  const model = report.model ?? message.model
  storeMessage(ref, omitUndefined({ ...message, usage, model, isUsageFinal: report.isFinal }), context)
  context.emit(omitUndefined({ type: 'usage:reported', ...ref, usage, final: report.isFinal, model }))
}

/**
 * Replaces known figures by later ones. Zero replaces none, as in Claude Code itself: the end of a message may state zero for the tokens
 * of its input.
 */
function mergeTokens(known: TokenUsage | undefined, later: TokenUsage): TokenUsage {
  const usage: { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] } = {}
  for (const name of TOKEN_COUNTS) {
    const count = later[name] || (known?.[name] ?? later[name])
    if (count !== undefined) usage[name] = count
  }
  return usage
}

/** Reads the token counts of the API's `usage`. */
export function tokenUsage(usage: JsonObject): TokenUsage {
  return omitUndefined({
    inputTokens: asFiniteNumber(usage.input_tokens),
    outputTokens: asFiniteNumber(usage.output_tokens),
    cacheReadTokens: asFiniteNumber(usage.cache_read_input_tokens),
    cacheWriteTokens: asFiniteNumber(usage.cache_creation_input_tokens),
    // Files state zeros that streams omit.
    reasoningTokens: asFiniteNumber(asObject(usage.output_tokens_details).thinking_tokens) || undefined,
    cacheWrite1hTokens: asFiniteNumber(asObject(usage.cache_creation).ephemeral_1h_input_tokens) || undefined,
    webSearches: asFiniteNumber(asObject(usage.server_tool_use).web_search_requests) || undefined,
  })
}

function hasTokens(usage: TokenUsage): boolean {
  return TOKEN_COUNTS.some((name) => usage[name] !== undefined)
}

function isSameUsage(left: TokenUsage | undefined, right: TokenUsage): boolean {
  return left !== undefined && TOKEN_COUNTS.every((name) => left[name] === right[name])
}
