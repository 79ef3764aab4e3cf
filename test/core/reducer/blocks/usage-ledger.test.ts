import { describe, expect, it } from 'vitest'
import { findConversation, type SessionEvent } from '../../../../src/entries/index.ts'
import { fold, lastStep, places, usage } from '../example.ts'

describe.each(places)('usage:reported in $place', ({ conversationId, start }) => {
  const report = (messageId: string, outputTokens: number, final: boolean) =>
    usage(messageId, outputTokens, { conversationId, final })

  it('replaces the whole entry', () => {
    const first = usage('m', 1, { conversationId, model: 'opus' })
    const state = fold(...start, first, usage('m', 1, { conversationId, usage: { inputTokens: 5 } }))
    expect(findConversation(state, conversationId)?.usage).toEqual([
      { messageId: 'm', final: true, inputTokens: 5 },
    ])
  })

  it('changes nothing when a provisional report follows a final one', () => {
    const { before, after } = lastStep(...start, report('m', 1, true), report('m', 2, false))
    expect(after).toBe(before)
  })
})

describe('the tokens of an agent’s run, as its result states them', () => {
  const message = { inputTokens: 100, outputTokens: 20 }
  const report = (messageId: string, counts: object, facts: object) =>
    usage(messageId, 0, { conversationId: 't1', usage: counts, ...facts })
  const ledgers = (first: SessionEvent, second: SessionEvent) =>
    [
      [first, second],
      [second, first],
    ].map((events) => fold(...events).subagents[0]?.usage)

  // A version states a sum without a part of the output: it stood beside the message that came after it.
  it.each([101, 119, 120])('give way to the message that has the sum of %d, in either order', (sum) => {
    const [one, other] = ledgers(
      report('m', message, { final: true }),
      report('t1:result', { unsplitTokens: sum }, { final: false, fromResult: true }),
    )
    expect(one).toEqual([{ messageId: 'm', final: true, ...message }])
    expect(other).toEqual(one)
  })

  it('stay beside a message with fewer tokens, in either order', () => {
    const [one, other] = ledgers(
      report('m', message, { final: true }),
      report('t1:result', { unsplitTokens: 121 }, { final: false, fromResult: true }),
    )
    expect(one).toHaveLength(2)
    expect(other).toHaveLength(2)
  })

  // The event that comes last brings it.
  it.each<[object, object, object]>([
    [message, { outputTokens: 30, final: true }, { outputTokens: 30, final: true }],
    [message, { outputTokens: 20, final: true }, { outputTokens: 20, final: true }],
    [message, { outputTokens: 30, final: false }, { outputTokens: 30, final: false }],
    [message, { outputTokens: 19, final: true }, { outputTokens: 20, final: false }],
    [
      { ...message, final: true },
      { outputTokens: 30, final: true },
      { outputTokens: 20, final: true },
    ],
  ])(
    'complete a provisional message with as many tokens, in either order: %j and %j',
    (known, stated, expected) => {
      const { final = false, ...counts } = known as { final?: boolean }
      const { final: ends, ...others } = stated as { final?: boolean }
      const first = report('m', counts, { final, model: 'opus' })
      const second = report('t1:result', { inputTokens: 100, ...others }, { final: ends, fromResult: true })
      for (const ledger of ledgers(first, second))
        expect(ledger).toEqual([{ messageId: 'm', model: 'opus', inputTokens: 100, ...expected }])
    },
  )

  it('stay beside the message in main', () => {
    const result = usage('r', 0, { usage: message, fromResult: true })
    expect(fold(result, usage('m', 0, { usage: message })).usage).toHaveLength(2)
  })

  it('add no sum to a message that has its parts, and do not end it while they are provisional', () => {
    const early = report('m', { inputTokens: 100 }, { final: false })
    for (const result of [
      report('t1:result', { unsplitTokens: 100 }, { final: true, fromResult: true }),
      report('t1:result', { inputTokens: 100 }, { final: false, fromResult: true }),
    ])
      for (const ledger of ledgers(early, result))
        expect(ledger).toEqual([{ messageId: 'm', final: false, inputTokens: 100 }])
  })
})
