import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { AcpContext } from '../context.ts'

/** Reports the tokens in the context, the size of the context window, and the cost of the session so far. */
export function reportContext(update: JsonObject, context: AcpContext): void {
  const { amount, currency } = asObject(update.cost)
  const model = asString(asObject(update._meta)['_claude/model'])
  context.updateFacts(
    omitUndefined({
      contextTokens: asFiniteNumber(update.used),
      contextWindow: asFiniteNumber(update.size),
      costUsd: currency === 'USD' ? asFiniteNumber(amount) : undefined,
      model,
    }),
  )
}

/** Reports the tokens of a turn. The protocol has no tokens of single messages, so the prompt's id stands for its messages. */
export function reportTurnUsage(promptId: string, usage: JsonObject, context: AcpContext): void {
  const tokens = omitUndefined({
    inputTokens: asFiniteNumber(usage.inputTokens),
    outputTokens: asFiniteNumber(usage.outputTokens),
    reasoningTokens: asFiniteNumber(usage.thoughtTokens),
    cacheReadTokens: asFiniteNumber(usage.cachedReadTokens),
    cacheWriteTokens: asFiniteNumber(usage.cachedWriteTokens),
  })
  if (Object.values(tokens).every((count) => count === 0)) return
  const { model } = context.facts
  context.emit(
    omitUndefined({
      type: 'usage:reported',
      conversationId: MAIN,
      messageId: promptId,
      usage: tokens,
      final: true,
      model,
    }),
  )
}
