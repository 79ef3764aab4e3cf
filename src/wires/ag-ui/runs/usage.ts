import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { MAIN, type TokenUsage } from '../../../state/session.ts'
import type { AgUiContext } from '../context.ts'

/** Reports the tokens of a run, one entry for each model. The protocol has none for messages. */
export function reportUsage(runId: string, usage: unknown, context: AgUiContext): void {
  for (const [at, value] of asArray(usage).entries()) {
    const entry = asObject(value)
    const messageId = at === 0 ? runId : `${runId}:${at}`
    const model = asString(entry.model)
    context.emit(
      omitUndefined({
        type: 'usage:reported',
        conversationId: MAIN,
        messageId,
        usage: readTokens(entry),
        final: true,
        model,
      }),
    )
    if (model !== undefined) context.addMissingFacts({ model })
  }
}

/** Reads tokens. The protocol counts the cached tokens and those written to the cache as input, so this subtracts them. */
function readTokens(entry: JsonObject): TokenUsage {
  const input = asFiniteNumber(entry.inputTokens)
  const cacheReadTokens = asFiniteNumber(entry.cachedInputTokens)
  const cacheWriteTokens = asFiniteNumber(entry.cacheWriteInputTokens)
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  return omitUndefined({
    inputTokens: input === undefined ? undefined : Math.max(0, input - cached),
    outputTokens: asFiniteNumber(entry.outputTokens),
    reasoningTokens: asFiniteNumber(entry.reasoningTokens),
    cacheReadTokens,
    cacheWriteTokens,
  })
}
