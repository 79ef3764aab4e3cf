import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asFiniteNumber, asObject, type JsonObject } from '../../../json/values.ts'
import type { TokenUsage } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageRef } from './known-message.ts'

interface Tokens {
  readonly tokens: unknown
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** A message begins with zeros, which stay where the model never told: they are not known. */
export function reportTokens(
  { conversationId, messageId }: MessageRef,
  { tokens, isFinal, model }: Tokens,
  translation: OpencodeContext,
): void {
  const usage = tokenUsage(asObject(tokens))
  if (!Object.values(usage).some((figure) => figure > 0)) return
  translation.emit(
    omitUndefined({ type: 'usage:reported', conversationId, messageId, usage, final: isFinal, model }),
  )
}

/** The program counts reasoning apart from the output, and the cache apart from the input. */
function tokenUsage({ input, output, reasoning, cache }: JsonObject): TokenUsage {
  const { read, write } = asObject(cache)
  const written = asFiniteNumber(output)
  return omitUndefined({
    inputTokens: asFiniteNumber(input),
    outputTokens:
      written === undefined ? undefined : asFiniteNumber(written + (asFiniteNumber(reasoning) ?? 0)),
    cacheReadTokens: asFiniteNumber(read),
    cacheWriteTokens: asFiniteNumber(write),
  })
}
