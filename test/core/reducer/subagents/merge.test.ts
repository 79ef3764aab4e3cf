import { describe, expect, it } from 'vitest'
import { findSubagent, type SessionEvent } from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  fold,
  lastStep,
  resume,
  spawn,
  subagentBlock,
  text,
  upsert,
  usage,
} from '../example.ts'

const links: [string, SessionEvent][] = [
  ['spawn', spawn('T', { agentId: 'X' })],
  ['subagent’s block', subagentBlock('T', { agentId: 'X' })],
  ['completion', complete('T', { agentId: 'X' })],
]

/** The spawn names T, and the agent's own log names X. Then the event links both ids. */
const merged = (
  ofT: readonly SessionEvent[],
  ofX: readonly SessionEvent[],
  link = spawn('T', { agentId: 'X' }),
) => fold(spawn('T'), ...ofT, ...ofX, link)

describe.each(links)('a %s merges a placeholder into the known subagent', (_, link) => {
  const log = [
    spawn('T'),
    upsert(text('a', { content: 'of T' }), 'T'),
    spawn('C', { conversationId: 'X' }),
    upsert(text('b', { content: 'of X' }), 'X'),
    spawn('last'),
    link,
  ]

  it('at the known one’s position, and the placeholder is gone', () => {
    const state = fold(...log)
    expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['T', 'C', 'last'])
    expect(findSubagent(state, 'X')).toBe(findSubagent(state, 'T'))
    expect(findSubagent(state, 'T')?.agentId).toBe('X')
  })

  it('and appends the placeholder’s blocks', () => {
    expect(blocksOf(fold(...log), 'T')).toMatchObject([
      { id: 'a', content: 'of T', conversationId: 'T' },
      { id: 'subagent:C', conversationId: 'T' },
      { id: 'b', content: 'of X', conversationId: 'T' },
    ])
  })

  it('and takes over the placeholder’s children', () => {
    expect(findSubagent(fold(...log), 'C')?.parentConversationId).toBe('T')
  })

  it('and updates the block in the parent', () => {
    expect(fold(...log).blocks).toMatchObject([{ id: 'subagent:T', agentId: 'X' }, { id: 'subagent:last' }])
  })

  it('and the same event again changes nothing', () => {
    const { before, after, issue } = lastStep(...log, link)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

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

  it('keeps its reference when it is the known one’s', () => {
    const { before, after } = lastStep(
      spawn('T'),
      block('complete', 'of T', 'T'),
      upsert(text('b'), 'X'),
      spawn('T', { agentId: 'X' }),
    )
    expect(blocksOf(after, 'T')[0]).toBe(blocksOf(before, 'T')[0])
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

describe('facts of both', () => {
  it('are the known one’s if it has them', () => {
    const state = merged(
      [
        spawn('T', { runId: 'r1' }),
        complete('T', { output: 'of T', durationMs: 1 }),
        resume('T', { runId: 'r2' }),
      ],
      [resume('X', { prompt: 'of X', runId: 'r9' })],
    )
    expect(state.subagents).toMatchObject([{ prompt: 'do', output: 'of T', durationMs: 1, runId: 'r2' }])
  })

  it('are the placeholder’s if the known one lacks them', () => {
    const reported = [
      resume('X', { prompt: 'of X' }),
      complete('X', { output: 'of X', durationMs: 2, runId: 'r9' }),
    ]
    const state = fold(subagentBlock('T'), ...reported, subagentBlock('T', { agentId: 'X' }))
    const facts = { output: 'of X', durationMs: 2 }
    expect(state.subagents).toMatchObject([{ toolUseId: 'T', ...facts, prompt: 'of X', runId: 'r9' }])
    expect(state.blocks).toMatchObject([{ id: 'subagent:T', ...facts, input: 'of X' }])
  })

  it.each([
    ['running', 'success', 'success'],
    ['running', 'error', 'error'],
    ['running', 'running', 'running'],
    ['success', 'running', 'success'],
    ['error', 'running', 'error'],
    ['success', 'error', 'success'],
    ['error', 'success', 'error'],
  ] as const)('are a final status, the known one’s first: %s and %s', (ofT, ofX, status) => {
    const end = { running: [], success: [{ status: 'completed' }], error: [{ status: 'error' }] } as const
    const state = merged(
      end[ofT].map((fields) => complete('T', fields)),
      [upsert(text('a'), 'X'), ...end[ofX].map((fields) => complete('X', fields))],
    )
    expect(state.subagents).toMatchObject([{ toolUseId: 'T', status }])
    expect(state.blocks).toMatchObject([{ id: 'subagent:T', status }])
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

  it.each([
    ['completed', 'complete'],
    ['error', 'error'],
  ] as const)('is finalized in the placeholder: %s', (status, expected) => {
    const state = merged([complete('T', { status })], [upsert(text('a'), 'X')])
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'a', status: expected }])
  })

  it('stays pending if neither has ended', () => {
    const state = merged([upsert(text('a'), 'T')], [upsert(text('b'), 'X')])
    expect(blocksOf(state, 'T')).toMatchObject([{ status: 'pending' }, { status: 'pending' }])
  })
})
