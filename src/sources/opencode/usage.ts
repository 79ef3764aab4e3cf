import { count, fields, type JsonObject } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import type { TokenUsage } from '../../state/session.ts'
import type { MessageRef } from './known-message.ts'
import type { Translation } from './translation.ts'

interface Tokens {
  readonly tokens: unknown
  readonly isFinal: boolean
  readonly model?: string | undefined
}

/** A message begins with zeros, which stay where the model never told: they are not known. */
export function reportTokens(
  { conversationId, messageId }: MessageRef,
  { tokens, isFinal, model }: Tokens,
  translation: Translation,
): void {
  const usage = tokenUsage(fields(tokens))
  if (!Object.values(usage).some((figure) => figure > 0)) return
  translation.emit(known({ type: 'usage:reported', conversationId, messageId, usage, final: isFinal, model }))
}

/** The program counts reasoning apart from the output, and the cache apart from the input. */
function tokenUsage({ input, output, reasoning, cache }: JsonObject): TokenUsage {
  const { read, write } = fields(cache)
  const written = count(output)
  return known({
    inputTokens: count(input),
    outputTokens: written === undefined ? undefined : count(written + (count(reasoning) ?? 0)),
    cacheReadTokens: count(read),
    cacheWriteTokens: count(write),
  })
}
