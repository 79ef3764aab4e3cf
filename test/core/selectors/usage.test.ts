import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MessageUsage, TokenUsage } from '../../../src/core/state/session.ts'
import { sumUsage } from '../../../src/entries/index.ts'

const final = (usage: TokenUsage, messageId = 'm'): MessageUsage => ({ ...usage, messageId, final: true })
const provisional = (usage: TokenUsage, messageId = 'm'): MessageUsage => ({
  ...usage,
  messageId,
  final: false,
})
const none = { messages: 0 }

it('sums each kind of token', () => {
  const counts = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 }
  expect(sumUsage([final(counts, 'a'), final(counts, 'b')]).final).toEqual({
    messages: 2,
    inputTokens: 2,
    outputTokens: 40,
    cacheReadTokens: 600,
    cacheWriteTokens: 8000,
  })
})

describe('an unknown count', () => {
  it('is absent, not zero', () => {
    expect(sumUsage([])).toStrictEqual({ final: none, provisional: none })
    expect(sumUsage([final({})])).toStrictEqual({ final: { messages: 1 }, provisional: none })
    expect(sumUsage([final({ outputTokens: 3 })]).final).toStrictEqual({ messages: 1, outputTokens: 3 })
  })

  it('does not change the sum of the known counts', () => {
    const sum = sumUsage([final({ inputTokens: 1 }), final({ outputTokens: 2 }), final({ inputTokens: 3 })])
    expect(sum.final).toStrictEqual({ messages: 3, inputTokens: 4, outputTokens: 2 })
  })

  it('differs from a known zero', () => {
    expect(sumUsage([final({ inputTokens: 0 })]).final).toStrictEqual({ messages: 1, inputTokens: 0 })
  })
})

it('sums provisional and final figures separately', () => {
  const sum = sumUsage([final({ outputTokens: 5 }, 'a'), provisional({ outputTokens: 7 }, 'b')])
  expect(sum).toStrictEqual({
    final: { messages: 1, outputTokens: 5 },
    provisional: { messages: 1, outputTokens: 7 },
  })
})

it('has tokens alone, without models and ids', () => {
  const sum = sumUsage([{ ...final({ outputTokens: 1 }), model: 'opus' }])
  expect(Object.keys(sum.final).sort()).toEqual(['messages', 'outputTokens'])
})

it('does not depend on the order of the messages, and mutates none', () => {
  const tokens = fc.record(
    { inputTokens: fc.nat(), outputTokens: fc.nat(), cacheReadTokens: fc.nat() },
    { requiredKeys: [] },
  )
  const entry = fc
    .tuple(tokens, fc.boolean())
    .map(([usage, isFinal]) => (isFinal ? final : provisional)(usage))
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const frozen = Object.freeze(entries.map((one) => Object.freeze(one)))
      expect(sumUsage(frozen)).toEqual(sumUsage([...frozen].reverse()))
    }),
  )
})
