import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../src/index.ts'
import type { SessionDifference } from '../../src/parity/index.ts'
import { answered, both, comparison, said, subagent, tokens } from './states.ts'

describe('a subagent', () => {
  it.each(['live', 'stored'] as const)('that only one side has is missing: %s', (side) => {
    const held = { subagents: [subagent('t1', [both])] }
    expect(comparison({ [side]: held }).differences).toStrictEqual([
      { kind: 'missing-subagent', conversationId: 't1', [side]: held.subagents[0] },
    ])
  })

  it.each([
    ['agentId', 'a1', 'a2'],
    ['parentConversationId', 'main', 't9'],
    ['name', 'reviewer', 'writer'],
    ['description', 'Look', 'Look again'],
    ['prompt', 'Do it.', 'Do more.'],
    ['status', 'success', 'error'],
    ['output', 'One.', 'Two.'],
    ['runId', 'r1', 'r2'],
    ['durationMs', 1, 2],
  ])('whose %s is another differs there, with both values', (field, live, stored) => {
    const { differences } = comparison({
      live: { subagents: [subagent('t1', [both], { [field]: live })] },
      stored: { subagents: [subagent('t1', [both], { [field]: stored })] },
    })
    expect(differences).toStrictEqual([{ kind: 'subagent', conversationId: 't1', field, live, stored }])
  })

  it.each(['agentId', 'name', 'description', 'prompt', 'output'])(
    'whose %s only one side knows differs',
    (field) => {
      const { differences } = comparison({
        live: { subagents: [subagent('t1', [both])] },
        stored: { subagents: [subagent('t1', [both], { [field]: 'known' })] },
      })
      expect(differences).toStrictEqual([{ kind: 'subagent', conversationId: 't1', field, stored: 'known' }])
    },
  )

  it('has its blocks compared as main’s are, in its own conversation', () => {
    const held = (block: ConversationBlock) => ({ subagents: [subagent('t1', [both, block])] })
    expect(
      comparison({ live: held(answered('x', 'a')), stored: held(answered('x', 'b')) }).differences,
    ).toStrictEqual([
      { kind: 'block', conversationId: 't1', id: 'x:result', field: 'output', live: 'a', stored: 'b' },
    ])
  })

  it('is known by its call, whatever other ids are called', () => {
    const ids = ['__proto__', 'constructor', '', 'main:0']
    const held = { subagents: ids.map((id) => subagent(id, [both])) }
    expect(comparison({ live: held, stored: held })).toEqual({ differences: [], projected: [] })
    const lost = { subagents: held.subagents.slice(1) }
    expect(comparison({ live: lost, stored: held }).differences).toMatchObject([
      { kind: 'missing-subagent', conversationId: '__proto__' },
    ])
  })
})

describe('final tokens', () => {
  const held = (...usage: readonly ReturnType<typeof tokens>[]) => ({ blocks: [said('m1')], usage })

  it.each(['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'])(
    'differ where the %s are others, with both values',
    (field) => {
      const { differences } = comparison({
        live: held(tokens('m1', { [field]: 1 })),
        stored: held(tokens('m1', { [field]: 2 })),
      })
      expect(differences).toStrictEqual([
        { kind: 'usage', conversationId: 'main', id: 'm1', field, live: 1, stored: 2 },
      ])
    },
  )

  it('differ where one side does not know a figure: that is not zero', () => {
    const { differences } = comparison({
      live: held(tokens('m1')),
      stored: held(tokens('m1', { inputTokens: 0 })),
    })
    expect(differences).toStrictEqual([
      { kind: 'usage', conversationId: 'main', id: 'm1', field: 'inputTokens', stored: 0 },
    ])
  })

  it('are missing where one side has the message and not its tokens', () => {
    const usage = tokens('m1-message')
    expect(comparison({ live: held(usage), stored: held() }).differences).toStrictEqual([
      { kind: 'missing-usage', conversationId: 'main', id: 'm1-message', live: usage },
    ])
    expect(comparison({ live: held(), stored: held(usage) }).differences).toStrictEqual([
      { kind: 'missing-usage', conversationId: 'main', id: 'm1-message', stored: usage },
    ])
  })

  it('are those of each conversation', () => {
    const held = (outputTokens: number) => ({
      subagents: [subagent('t1', [both], { usage: [tokens('m1', { outputTokens })] })],
    })
    expect(comparison({ live: held(1), stored: held(2) }).differences).toStrictEqual([
      { kind: 'usage', conversationId: 't1', id: 'm1', field: 'outputTokens', live: 1, stored: 2 },
    ])
  })
})

describe('what both know of the session', () => {
  it.each([
    ['id', 's1', 's2'],
    ['model', 'one', 'two'],
    ['cwd', '/srv/demo', '/srv/other'],
    ['program', 'claude-code', 'opencode'],
    ['version', '2.1.330', '2.1.331'],
    ['tools', ['Read'], ['Read', 'Bash']],
    ['costUsd', 1, 2],
  ])('differs where the %s is another', (field, live, stored) => {
    const { differences } = comparison({
      live: { session: { [field]: live } },
      stored: { session: { [field]: stored } },
    })
    expect(differences).toStrictEqual<readonly SessionDifference[]>([
      { kind: 'session', conversationId: 'main', field, live, stored },
    ])
  })
})

it('tells all differences of a session, main’s before those of its subagents', () => {
  const { differences } = comparison({
    live: {
      session: { cwd: '/a' },
      blocks: [said('a'), said('b')],
      subagents: [subagent('t1', [said('c')]), subagent('t2', [both])],
    },
    stored: {
      session: { cwd: '/b' },
      blocks: [said('b'), said('d')],
      subagents: [subagent('t1', [said('c', 'Other.')], { status: 'error' })],
    },
  })
  expect(
    differences.map(({ kind, conversationId, id, field }) => [kind, conversationId, id ?? field]),
  ).toEqual([
    ['session', 'main', 'cwd'],
    ['missing-block', 'main', 'a'],
    ['missing-block', 'main', 'd'],
    ['subagent', 't1', 'status'],
    ['block', 't1', 'c'],
    ['missing-subagent', 't2', undefined],
  ])
})
