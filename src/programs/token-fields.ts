import { omitUndefined } from '../core/json/fields.ts'
import { asFiniteNumber, type JsonObject } from '../core/json/values.ts'
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
