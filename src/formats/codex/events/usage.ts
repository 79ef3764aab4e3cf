import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject } from '../../../json/values.ts'
import type { TokenUsage } from '../../../state/session.ts'
import { withSnakeCase } from '../items/fields.ts'
import type { CodexEventOf } from './event.ts'

/** Reads tokens. Codex counts the cached tokens and those written to the cache as input, so this subtracts them. */
export function readTokens(value: unknown): TokenUsage | undefined {
  const counts = withSnakeCase(asObject(value))
  const input = asFiniteNumber(counts.input_tokens)
  const cacheReadTokens = asFiniteNumber(counts.cached_input_tokens)
  const cacheWriteTokens = asFiniteNumber(counts.cache_write_input_tokens)
  const tokens = omitUndefined({
    inputTokens:
      input === undefined ? undefined : Math.max(0, input - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens: asFiniteNumber(counts.output_tokens),
    reasoningTokens: asFiniteNumber(counts.reasoning_output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
  })
  return Object.keys(tokens).length === 0 ? undefined : tokens
}

/** Returns the tokens of a whole thread so far. */
export function totalOf(value: unknown): number | undefined {
  const { total_tokens, input_tokens, output_tokens } = withSnakeCase(asObject(value))
  const input = asFiniteNumber(input_tokens)
  return (
    asFiniteNumber(total_tokens) ??
    (input === undefined ? undefined : input + (asFiniteNumber(output_tokens) ?? 0))
  )
}

/** Returns the report of a reply's tokens, and none if the thread's are not known: nothing tells it from a repeated one then. */
export function usageEvent(
  { threadId, time }: Pick<CodexEventOf<'usage'>, 'threadId' | 'time'>,
  { last, total }: { readonly last: unknown; readonly total: unknown },
): readonly CodexEventOf<'usage'>[] {
  const [tokens, sum] = [readTokens(last), totalOf(total)]
  return tokens && sum !== undefined ? [{ type: 'usage', threadId, time, total: sum, last: tokens }] : []
}
