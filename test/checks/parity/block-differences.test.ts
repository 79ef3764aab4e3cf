import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/entries/index.ts'
import {
  both,
  comparison,
  errorBlock,
  modelText,
  pending,
  skillLoad,
  subagent,
  subagentBlock,
  systemNote,
  thinking,
  toolResult,
  toolUse,
  userMessage,
} from './states.ts'

describe('a block', () => {
  it('is missing if only the stream has it', () => {
    expect(comparison({ live: [both, modelText('m1:0')], stored: [both] }).differences).toStrictEqual([
      { kind: 'missing-block', conversationId: 'main', id: 'm1:0', live: modelText('m1:0') },
    ])
  })

  it('is missing if only the stored side has it', () => {
    expect(comparison({ live: [both], stored: [both, modelText('m1:0')] }).differences).toStrictEqual([
      { kind: 'missing-block', conversationId: 'main', id: 'm1:0', stored: modelText('m1:0') },
    ])
  })

  it.each<[string, ConversationBlock, Readonly<Record<string, unknown>>]>([
    ['text', modelText('a'), { content: 'Other.' }],
    ['text of the person', userMessage('a'), { content: [{ type: 'text', text: 'Other.' }] }],
    ['thinking', thinking('a'), { content: 'Other.' }],
    ['input', toolUse('t1'), { input: { command: 'ls -l' } }],
    ['tool', toolUse('t1'), { toolName: 'Read' }],
    ['message', toolUse('t1'), { messageId: 'm9' }],
    ['output', toolResult('t1'), { output: ['out'] }],
    ['verdict', toolResult('t1'), { isError: true }],
    ['status', toolResult('t1'), { status: 'error' }],
    ['prompt', subagentBlock('t1'), { input: 'Do more.' }],
    ['report', subagentBlock('t1', { output: 'One.' }), { output: 'Two.' }],
    ['agent', subagentBlock('t1', { agentId: 'a1' }), { agentId: 'a2' }],
    ['agent’s end', subagentBlock('t1'), { status: 'error' }],
    ['note', systemNote('hook'), { message: 'Other.' }],
    ['data', { ...systemNote('retry'), data: { attempt: 1 } }, { data: { attempt: 2 } }],
    ['failure', errorBlock('a'), { message: 'Other.' }],
    ['code', errorBlock('a', 'one'), { code: 'two' }],
    ['skill', skillLoad, { skillName: 'coffee' }],
    ['type', modelText('a'), { type: 'thinking' }],
    [
      'time',
      { ...modelText('a'), timestamp: '2026-01-01T12:00:00.000Z' },
      { timestamp: '2026-01-01T12:00:01.000Z' },
    ],
    ['model', { ...modelText('a'), model: 'one' }, { model: 'two' }],
    ['duration', { ...toolResult('t1'), durationMs: 1 }, { durationMs: 1001 }],
  ])('with another %s gives a difference with both values', (_, block, change) => {
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

  it('gives a difference for each different field', () => {
    const live = { ...toolResult('t1'), output: 'a', isError: true, status: 'error' as const }
    const { differences } = comparison({ live: [live], stored: [toolResult('t1')] })
    expect(differences.map(({ field }) => field).sort()).toEqual(['isError', 'output', 'status'])
  })

  it.each(['input', 'output', 'messageId', 'origin', 'redacted', 'data', 'agentId'])(
    'whose %s only one side knows differs, and the side that does not know it is absent',
    (field) => {
      const known = Object.assign({ ...modelText('a') }, { [field]: 'known' })
      const { [field]: _, ...unknown } = known
      const stored: ConversationBlock = Object.assign({ ...modelText('a') }, unknown)
      Reflect.deleteProperty(stored, field)
      expect(comparison({ live: [known], stored: [stored] }).differences).toStrictEqual([
        { kind: 'block', conversationId: 'main', id: 'a', field, live: 'known' },
      ])
    },
  )

  it('gives a difference if it is pending on one side only', () => {
    for (const [live, stored] of [
      ['complete', 'pending'],
      ['pending', 'complete'],
    ] as const)
      expect(
        comparison({
          live: [{ ...modelText('a'), status: live }],
          stored: [{ ...modelText('a'), status: stored }],
        }),
      ).toStrictEqual({
        differences: [{ kind: 'block', conversationId: 'main', id: 'a', field: 'status', live, stored }],
        excluded: [],
      })
  })

  it('is equal for any order of the keys in its JSON', () => {
    const live = { ...toolUse('t1'), input: { a: 1, b: { c: 2, d: 3 } } }
    const stored = { ...toolUse('t1'), input: { b: { d: 3, c: 2 }, a: 1 } }
    expect(comparison({ live: [live], stored: [stored] }).differences).toEqual([])
  })

  it('gives a difference for the smallest change of its JSON', () => {
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
        comparison({
          live: [{ ...toolUse('t1'), input: live }],
          stored: [{ ...toolUse('t1'), input: stored }],
        }).differences,
      ).toHaveLength(1)
  })

  it('is never equal if its values are nested too deep to compare', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    const pair = (depth: number) => ({
      live: [{ ...toolUse('t1'), input: nested(depth) }],
      stored: [{ ...toolUse('t1'), input: nested(depth) }],
    })
    expect(comparison(pair(500)).differences).toEqual([])
    expect(comparison(pair(5000)).differences).toMatchObject([{ kind: 'block', field: 'input' }])
  })
})

describe('the order of blocks', () => {
  const [a, b, c, d] = [modelText('a'), toolUse('b'), modelText('c'), modelText('d')]

  it('differs from the first to the last moved block that both sides have', () => {
    const { differences } = comparison({
      live: [modelText('first'), a, b, c, d, modelText('last')],
      stored: [modelText('first'), b, c, a, d, modelText('last')],
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

  it('ignores blocks that only one side has', () => {
    const { differences } = comparison({
      live: [a, pending(modelText('x')), b, c],
      stored: [userMessage('p'), a, b, c],
    })
    expect(differences).toEqual([])
  })

  it('is compared beside a missing block', () => {
    const { differences } = comparison({ live: [a, modelText('x'), c], stored: [c, a] })
    expect(differences.map(({ kind, id }) => [kind, id])).toEqual([
      ['missing-block', 'x'],
      ['order', 'a'],
    ])
  })

  it('is compared in each conversation', () => {
    const { differences } = comparison({
      live: { subagents: [subagent('t1', [a, c])] },
      stored: { subagents: [subagent('t1', [c, a])] },
    })
    expect(differences).toStrictEqual([
      { kind: 'order', conversationId: 't1', id: 'a', live: ['a', 'c'], stored: ['c', 'a'] },
    ])
  })
})
