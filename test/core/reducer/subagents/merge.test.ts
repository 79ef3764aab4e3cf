import { describe, expect, it } from 'vitest'
import { findSubagent, type SessionEvent } from '../../../../src/entries/index.ts'
import { blocksOf, complete, fold, spawn, text, upsert, usage } from '../example.ts'

/** The spawn names T, and the agent's own log names X. Then the event links both ids. */
const merged = (
  ofT: readonly SessionEvent[],
  ofX: readonly SessionEvent[],
  link = spawn('T', { agentId: 'X' }),
) => fold(spawn('T'), ...ofT, ...ofX, link)

describe('a block that both have', () => {
  const block = (status: 'pending' | 'complete' | 'error', content: string, conversationId: string) =>
    upsert(text('a', { status, content }), conversationId)

  it.each([
    ['pending', 'complete', 'of X'],
    ['pending', 'error', 'of X'],
    ['pending', 'pending', 'of T'],
    ['complete', 'pending', 'of T'],
    ['complete', 'complete', 'of T'],
    ['error', 'complete', 'of T'],
  ] as const)('is the final one, else the known one’s: %s and %s', (statusOfT, statusOfX, content) => {
    const state = merged(
      [block(statusOfT, 'of T', 'T'), upsert(text('b'), 'T')],
      [block(statusOfX, 'of X', 'X')],
    )
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'a', content, conversationId: 'T' }, { id: 'b' }])
  })
})

describe('a message in both ledgers', () => {
  it.each([
    [false, true, 2],
    [false, false, 1],
    [true, false, 1],
    [true, true, 1],
  ])('has the final figures, else the known one’s: %j and %j', (finalOfT, finalOfX, outputTokens) => {
    const state = merged(
      [usage('m', 1, { conversationId: 'T', final: finalOfT })],
      [usage('m', 2, { conversationId: 'X', final: finalOfX }), usage('n', 3, { conversationId: 'X' })],
    )
    expect(findSubagent(state, 'T')?.usage).toMatchObject([
      { messageId: 'm', outputTokens },
      { messageId: 'n', outputTokens: 3 },
    ])
  })
})

describe('a pending block after one of both has ended', () => {
  it.each([
    ['completed', 'complete'],
    ['error', 'error'],
  ] as const)('is finalized in the known one: %s', (status, expected) => {
    const state = merged([upsert(text('a'), 'T')], [complete('X', { status })])
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'a', status: expected }])
  })
})
