import { describe, expect, it } from 'vitest'
import type { ConversationBlock, SessionDifference } from '../../src/index.ts'
import {
  answered,
  called,
  comparison,
  failed,
  noted,
  pending,
  said,
  skill,
  spawned,
  subagent,
  thought,
  tokens,
  told,
} from './states.ts'

const both = said('both')

describe('a block', () => {
  it('that only the stream has is missing', () => {
    expect(comparison({ live: [both, said('m1:0')], stored: [both] }).differences).toStrictEqual([
      { kind: 'missing-block', conversationId: 'main', id: 'm1:0', live: said('m1:0') },
    ])
  })

  it('that was only stored is missing', () => {
    expect(comparison({ live: [both], stored: [both, said('m1:0')] }).differences).toStrictEqual([
      { kind: 'missing-block', conversationId: 'main', id: 'm1:0', stored: said('m1:0') },
    ])
  })

  it.each<[string, ConversationBlock, Readonly<Record<string, unknown>>]>([
    ['text', said('a'), { content: 'Other.' }],
    ['text of the person', told('a'), { content: [{ type: 'text', text: 'Other.' }] }],
    ['thinking', thought('a'), { content: 'Other.' }],
    ['input', called('t1'), { input: { command: 'ls -l' } }],
    ['tool', called('t1'), { toolName: 'Read' }],
    ['message', called('t1'), { messageId: 'm9' }],
    ['output', answered('t1'), { output: ['out'] }],
    ['verdict', answered('t1'), { isError: true }],
    ['status', answered('t1'), { status: 'error' }],
    ['prompt', spawned('t1'), { input: 'Do more.' }],
    ['report', spawned('t1', { output: 'One.' }), { output: 'Two.' }],
    ['agent', spawned('t1', { agentId: 'a1' }), { agentId: 'a2' }],
    ['agent’s end', spawned('t1'), { status: 'error' }],
    ['note', noted('hook'), { message: 'Other.' }],
    ['data', { ...noted('retry'), data: { attempt: 1 } }, { data: { attempt: 2 } }],
    ['failure', failed('a'), { message: 'Other.' }],
    ['code', failed('a', 'one'), { code: 'two' }],
    ['skill', skill, { skillName: 'coffee' }],
    ['type', said('a'), { type: 'thinking' }],
    [
      'time',
      { ...said('a'), timestamp: '2026-01-01T12:00:00.000Z' },
      { timestamp: '2026-01-01T12:00:01.000Z' },
    ],
    ['model', { ...said('a'), model: 'one' }, { model: 'two' }],
    ['duration', { ...answered('t1'), durationMs: 1 }, { durationMs: 2 }],
  ])('whose %s is another differs there, with both values', (_, block, change) => {
    const changed: ConversationBlock = Object.assign({ ...block }, change)
    const [field = ''] = Object.keys(change)
    expect(comparison({ live: [block], stored: [changed] }).differences).toStrictEqual([
      {
        kind: 'block',
        conversationId: 'main',
        id: block.id,
        field,
        live: Reflect.get(block, field),
        stored: change[field],
      },
    ])
  })

  it('differs in every field that is another', () => {
    const live = { ...answered('t1'), output: 'a', isError: true, status: 'error' as const }
    const { differences } = comparison({ live: [live], stored: [answered('t1')] })
    expect(differences.map(({ field }) => field).sort()).toEqual(['isError', 'output', 'status'])
  })

  it.each(['input', 'output', 'messageId', 'origin', 'redacted', 'data', 'agentId'])(
    'whose %s only one side knows differs, and the side that does not know it is absent',
    (field) => {
      const known = Object.assign({ ...said('a') }, { [field]: 'known' })
      const { [field]: _, ...unknown } = known
      const stored: ConversationBlock = Object.assign({ ...said('a') }, unknown)
      Reflect.deleteProperty(stored, field)
      expect(comparison({ live: [known], stored: [stored] }).differences).toStrictEqual([
        { kind: 'block', conversationId: 'main', id: 'a', field, live: 'known' },
      ])
    },
  )

  it('that is pending on one side alone differs', () => {
    for (const [live, stored] of [
      ['complete', 'pending'],
      ['pending', 'complete'],
    ] as const)
      expect(
        comparison({ live: [{ ...said('a'), status: live }], stored: [{ ...said('a'), status: stored }] }),
      ).toStrictEqual({
        differences: [{ kind: 'block', conversationId: 'main', id: 'a', field: 'status', live, stored }],
        projected: [],
      })
  })

  it('is the same whatever the order of the keys in its JSON', () => {
    const live = { ...called('t1'), input: { a: 1, b: { c: 2, d: 3 } } }
    const stored = { ...called('t1'), input: { b: { d: 3, c: 2 }, a: 1 } }
    expect(comparison({ live: [live], stored: [stored] }).differences).toEqual([])
  })

  it('is told apart by the smallest change of its JSON', () => {
    for (const [live, stored] of [
      [{ a: [] }, { a: {} }],
      [{ a: null }, {}],
      [{ a: 1 }, { a: '1' }],
      [
        [1, 2],
        [2, 1],
      ],
      [
        { __proto__: null, a: 1 },
        { a: 1, b: undefined },
      ],
      [JSON.parse('{"__proto__": 1}'), {}],
      ['e\u0301', '\u00e9'],
      ['one ', 'one'],
    ])
      expect(
        comparison({ live: [{ ...called('t1'), input: live }], stored: [{ ...called('t1'), input: stored }] })
          .differences,
      ).toHaveLength(1)
  })

  it('whose values are nested too deep to compare is never called equal', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    const pair = (depth: number) => ({
      live: [{ ...called('t1'), input: nested(depth) }],
      stored: [{ ...called('t1'), input: nested(depth) }],
    })
    expect(comparison(pair(500)).differences).toEqual([])
    expect(comparison(pair(5000)).differences).toMatchObject([{ kind: 'block', field: 'input' }])
  })
})

describe('the order of blocks', () => {
  const [a, b, c, d] = [said('a'), called('b'), said('c'), said('d')]

  it('differs from the first to the last that was moved, as far as both sides have them', () => {
    const { differences } = comparison({
      live: [said('first'), a, b, c, d, said('last')],
      stored: [said('first'), b, c, a, d, said('last')],
    })
    expect(differences).toStrictEqual([
      {
        kind: 'order',
        conversationId: 'main',
        id: 'a',
        live: ['a', 'b:0', 'c'],
        stored: ['b:0', 'c', 'a'],
      },
    ])
  })

  it('does not differ for what stands between that only one side has', () => {
    const { differences } = comparison({ live: [a, pending(said('x')), b, c], stored: [told('p'), a, b, c] })
    expect(differences).toEqual([])
  })

  it('differs beside what is missing', () => {
    const { differences } = comparison({ live: [a, said('x'), c], stored: [c, a] })
    expect(differences.map(({ kind, id }) => [kind, id])).toEqual([
      ['missing-block', 'x'],
      ['order', 'a'],
    ])
  })

  it('is that of each conversation', () => {
    const { differences } = comparison({
      live: { subagents: [subagent('t1', [a, c])] },
      stored: { subagents: [subagent('t1', [c, a])] },
    })
    expect(differences).toStrictEqual([
      { kind: 'order', conversationId: 't1', id: 'a', live: ['a', 'c'], stored: ['c', 'a'] },
    ])
  })
})

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
