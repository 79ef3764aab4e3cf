import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../src/index.ts'
import {
  answered,
  both,
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
  told,
} from './states.ts'

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
