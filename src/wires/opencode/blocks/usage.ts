import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { TokenUsage } from '../../../core/state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageRef } from '../place.ts'

interface TokenReport {
  readonly tokens: unknown
  readonly isFinal: boolean
  readonly model: string | undefined
}

/** Reports a message's tokens. OpenCode writes zeros before the counts are known, so all zeros mean unknown. */
export function reportTokens(
  { conversationId, messageId }: MessageRef,
  { tokens, isFinal, model }: TokenReport,
  context: OpencodeContext,
): void {
  if (!isObject(tokens)) return
  const usage = tokenUsage(tokens)
  if (!Object.values(usage).some((count) => count > 0)) return
  context.emit({ type: 'usage:reported', conversationId, messageId, usage, final: isFinal, model })
}

/** OpenCode counts reasoning apart from the output, and cached tokens apart from the input. */
function tokenUsage({ input, output, reasoning, cache }: JsonObject): TokenUsage {
  const { read, write } = asObject(cache)
  const textTokens = asFiniteNumber(output)
  const reasoningTokens = asFiniteNumber(reasoning) ?? 0
  const counts = {
    inputTokens: asFiniteNumber(input),
    outputTokens: textTokens === undefined ? undefined : asFiniteNumber(textTokens + reasoningTokens),
    cacheReadTokens: asFiniteNumber(read),
    cacheWriteTokens: asFiniteNumber(write),
    reasoningTokens: reasoningTokens === 0 ? undefined : reasoningTokens,
  }
  return omitUndefined(counts)
}
