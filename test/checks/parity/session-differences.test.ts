import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/entries/index.ts'
import type { SessionDifference } from '../../../src/entries/parity.ts'
import { both, comparison, modelText, subagent, tokens, toolResult } from './states.ts'

describe('a subagent', () => {
  it.each(['live', 'stored'] as const)('is missing if only one side has it: %s', (side) => {
    const content = { subagents: [subagent('t1', [both])] }
    expect(comparison({ [side]: content }).differences).toStrictEqual([
      { kind: 'missing-subagent', conversationId: 't1', [side]: content.subagents[0] },
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
    ['durationMs', 1, 1001],
  ])('with another %s gives a difference with both values', (field, live, stored) => {
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

  it('has its blocks compared like those of main, in its own conversation', () => {
    const content = (block: ConversationBlock) => ({ subagents: [subagent('t1', [both, block])] })
    expect(
      comparison({ live: content(toolResult('x', 'a')), stored: content(toolResult('x', 'b')) }).differences,
    ).toStrictEqual([
      { kind: 'block', conversationId: 't1', id: 'x:result', field: 'output', live: 'a', stored: 'b' },
    ])
  })

  it('that a cut ended is compared as it was before, with its blocks', () => {
    const call = (status: 'running' | 'pending' | 'error') =>
      ({ ...both, type: 'subagent', id: 'subagent:t1', toolUseId: 't1', input: '', status }) as const
    const text = (status: 'pending' | 'error') => [{ ...modelText('a', 'Se'), status }]
    const open = (status: 'running' | 'pending') => ({
      blocks: [call(status)],
      subagents: [subagent('t1', text('pending'), { status })],
    })
    const cut = (openBlocks: readonly string[]) => ({
      blocks: [call('error')],
      subagents: [subagent('t1', text('error'), { status: 'error', openBlocks })],
    })
    const same = { differences: [], excluded: [] }
    expect(comparison({ live: open('running'), stored: cut(['a']) })).toEqual(same)
    expect(comparison({ live: cut(['subagent:t1', 'a']), stored: open('pending') })).toEqual(same)
    expect(comparison({ live: cut(['a']), stored: {} })).toEqual(
      comparison({ live: open('running'), stored: {} }),
    )
  })

  it('is identified by its call, also if other ids look special', () => {
    const ids = ['__proto__', 'constructor', '', 'main:0']
    const content = { subagents: ids.map((id) => subagent(id, [both])) }
    expect(comparison({ live: content, stored: content })).toEqual({ differences: [], excluded: [] })
    const lost = { subagents: content.subagents.slice(1) }
    expect(comparison({ live: lost, stored: content }).differences).toMatchObject([
      { kind: 'missing-subagent', conversationId: '__proto__' },
    ])
  })
})

describe('final tokens', () => {
  const content = (...usage: readonly ReturnType<typeof tokens>[]) => ({ blocks: [modelText('m1')], usage })

  it.each(['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'])(
    'differ where the %s are others, with both values',
    (field) => {
      const { differences } = comparison({
        live: content(tokens('m1', { [field]: 1 })),
        stored: content(tokens('m1', { [field]: 2 })),
      })
      expect(differences).toStrictEqual([
        { kind: 'usage', conversationId: 'main', id: 'm1', field, live: 1, stored: 2 },
      ])
    },
  )

  it('differ if one side lacks a figure, because unknown is not zero', () => {
    const { differences } = comparison({
      live: content(tokens('m1')),
      stored: content(tokens('m1', { inputTokens: 0 })),
    })
    expect(differences).toStrictEqual([
      { kind: 'usage', conversationId: 'main', id: 'm1', field: 'inputTokens', stored: 0 },
    ])
  })

  it('are missing if one side has the message without its tokens', () => {
    const usage = tokens('m1-message')
    expect(comparison({ live: content(usage), stored: content() }).differences).toStrictEqual([
      { kind: 'missing-usage', conversationId: 'main', id: 'm1-message', live: usage },
    ])
    expect(comparison({ live: content(), stored: content(usage) }).differences).toStrictEqual([
      { kind: 'missing-usage', conversationId: 'main', id: 'm1-message', stored: usage },
    ])
  })

  it('are compared in each conversation', () => {
    const content = (outputTokens: number) => ({
      subagents: [subagent('t1', [both], { usage: [tokens('m1', { outputTokens })] })],
    })
    expect(comparison({ live: content(1), stored: content(2) }).differences).toStrictEqual([
      { kind: 'usage', conversationId: 't1', id: 'm1', field: 'outputTokens', live: 1, stored: 2 },
    ])
  })
})

it.each([
  ['id', 's1', 's2'],
  ['model', 'one', 'two'],
  ['cwd', '/srv/demo', '/srv/other'],
  ['program', 'claude-code', 'opencode'],
  ['version', '2.1.330', '2.1.331'],
  ['tools', ['Read'], ['Read', 'Bash']],
  ['costUsd', 1, 2],
])('the facts of the session give a difference for another %s', (field, live, stored) => {
  const { differences } = comparison({
    live: { session: { [field]: live } },
    stored: { session: { [field]: stored } },
  })
  expect(differences).toStrictEqual<readonly SessionDifference[]>([
    { kind: 'session', conversationId: 'main', field, live, stored },
  ])
})

it('returns all differences of a session, main’s before those of its subagents', () => {
  const { differences } = comparison({
    live: {
      session: { cwd: '/a' },
      blocks: [modelText('a'), modelText('b')],
      subagents: [subagent('t1', [modelText('c')]), subagent('t2', [both])],
    },
    stored: {
      session: { cwd: '/b' },
      blocks: [modelText('b'), modelText('d')],
      subagents: [subagent('t1', [modelText('c', 'Other.')], { status: 'error' })],
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
