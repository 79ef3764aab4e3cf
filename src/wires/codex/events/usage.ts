import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject } from '../../../core/json/values.ts'
import { TOKEN_COUNTS, type TokenUsage, uncachedInput } from '../../../core/state/session.ts'
import type { CodexEventOf } from './event.ts'

/** Reads tokens. Only the app-server has camel case. Codex counts the cached tokens and those written to the cache as input, so this subtracts them. */
export function readTokens(value: unknown): TokenUsage | undefined {
  const counts = asObject(value)
  const cacheReadTokens = asFiniteNumber(counts.cached_input_tokens ?? counts.cachedInputTokens)
  const cacheWriteTokens = asFiniteNumber(counts.cache_write_input_tokens ?? counts.cacheWriteInputTokens)
  const tokens = omitUndefined({
    inputTokens: uncachedInput(
      asFiniteNumber(counts.input_tokens ?? counts.inputTokens),
      cacheReadTokens,
      cacheWriteTokens,
    ),
    outputTokens: asFiniteNumber(counts.output_tokens ?? counts.outputTokens),
    reasoningTokens: asFiniteNumber(counts.reasoning_output_tokens ?? counts.reasoningOutputTokens),
    cacheReadTokens,
    cacheWriteTokens,
  })
  return Object.keys(tokens).length === 0 ? undefined : tokens
}

/** Returns the tokens of a whole thread so far. */
export function totalOf(value: unknown): number | undefined {
  const counts = asObject(value)
  const total = asFiniteNumber(counts.total_tokens ?? counts.totalTokens)
  const input = asFiniteNumber(counts.input_tokens ?? counts.inputTokens)
  const output = asFiniteNumber(counts.output_tokens ?? counts.outputTokens) ?? 0
  return total ?? (input === undefined ? undefined : input + output)
}

/** Returns the report of a reply's tokens, and none if the thread's are not known: then it may be a repeated one. */
export function usageEvent(
  { threadId, time }: Pick<CodexEventOf<'usage'>, 'threadId' | 'time'>,
  { last, total }: { readonly last: unknown; readonly total: unknown },
): readonly CodexEventOf<'usage'>[] {
  const [tokens, sum] = [readTokens(last), totalOf(total)]
  if (!tokens || sum === undefined) return []
  const isContextFull = sum > 0 && !hasTokens(readTokens(total)) ? true : undefined
  return [omitUndefined({ type: 'usage', threadId, time, total: sum, last: tokens, isContextFull })]
}

/** Whether any count is above 0. */
export function hasTokens(usage: TokenUsage = {}): boolean {
  return TOKEN_COUNTS.some((name) => usage[name])
}
