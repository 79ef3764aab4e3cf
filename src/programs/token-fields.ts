import { type Mutable, omitUndefined } from '../core/json/fields.ts'
import { asFiniteNumber, asObject, isObject, type JsonObject } from '../core/json/values.ts'
import { type TokenUsage, uncachedInput } from '../core/state/session.ts'

/** The names of a program's counts of tokens, and what each holds. */
export interface TokenFields {
  readonly inputTokens: string
  readonly outputTokens: string
  readonly cacheReadTokens?: string
  readonly cacheWriteTokens?: string
  readonly reasoningTokens?: string
  /** The input holds the tokens that were read from the cache or written to it. */
  readonly holdsCached?: true
  /** The output lacks the tokens of the thinking. */
  readonly lacksThinking?: true
  /** A zero of the cache or of the thinking is a count that the program does not know. */
  readonly omitsZeros?: true
}

/** Returns the tokens in an object of a program. A count that is not there, or is no finite number, is unknown. */
export function tokensIn(counts: JsonObject, fields: TokenFields): TokenUsage {
  const { holdsCached, lacksThinking, omitsZeros } = fields
  const count = (name?: string) => (name === undefined ? undefined : asFiniteNumber(counts[name]))
  const known = (name?: string) => (omitsZeros ? count(name) || undefined : count(name))
  const [input, output] = [count(fields.inputTokens), count(fields.outputTokens)]
  const cacheReadTokens = known(fields.cacheReadTokens)
  const cacheWriteTokens = known(fields.cacheWriteTokens)
  const reasoningTokens = known(fields.reasoningTokens)
  return omitUndefined({
    inputTokens: holdsCached ? uncachedInput(input, cacheReadTokens, cacheWriteTokens) : input,
    outputTokens:
      lacksThinking && output !== undefined ? asFiniteNumber(output + (reasoningTokens ?? 0)) : output,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
  })
}

/**
 * Returns the tokens of a model API's `usage`: of Messages, Chat Completions or Responses. Relays fill the counts of several
 * APIs, some with zeros. The details of an input are those of its own API.
 */
export function apiTokens(usage: JsonObject): Mutable<TokenUsage> {
  const { input_tokens, output_tokens, prompt_tokens, completion_tokens } = usage
  const input = knownCount(input_tokens, prompt_tokens)
  const ofInput = input === input_tokens ? usage.input_tokens_details : undefined
  const details = ofInput ?? (input === prompt_tokens ? usage.prompt_tokens_details : undefined)
  const { cached_tokens, cache_write_tokens } = asObject(details)
  const { reasoning_tokens, thinking_tokens } = asObject(
    usage.output_tokens_details ?? usage.completion_tokens_details,
  )
  const cacheReadTokens = knownCount(usage.cache_read_input_tokens, cached_tokens)
  const cacheWriteTokens = knownCount(usage.cache_creation_input_tokens, cache_write_tokens)
  // Messages alone counts the tokens of the cache apart from the input.
  const isApart = input === input_tokens && !isObject(details)
  return omitUndefined({
    inputTokens: isApart ? input : uncachedInput(input, cacheReadTokens, cacheWriteTokens),
    outputTokens: knownCount(output_tokens, completion_tokens),
    cacheReadTokens,
    cacheWriteTokens,
    // Files state zeros that streams omit.
    reasoningTokens: asFiniteNumber(reasoning_tokens ?? thinking_tokens) || undefined,
    cacheWrite1hTokens: asFiniteNumber(asObject(usage.cache_creation).ephemeral_1h_input_tokens) || undefined,
    webSearches: asFiniteNumber(asObject(usage.server_tool_use).web_search_requests) || undefined,
  })
}

/** Returns the first count, or the other one if the first is zero or unknown. */
function knownCount(first: unknown, other: unknown): number | undefined {
  return asFiniteNumber(first) || (asFiniteNumber(other) ?? asFiniteNumber(first))
}
