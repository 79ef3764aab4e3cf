import { describe, expect, it } from 'vitest'
import { comparison, toolResult, toolUse } from '../states.ts'

it('a call under another block id is a difference', () => {
  const { differences } = comparison({ live: [toolUse('c1', 'm1:0')], stored: [toolUse('c1', 'm1:1')] })
  expect(differences).toStrictEqual([
    { kind: 'block', conversationId: 'main', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
  ])
})

describe('tool-result-place', () => {
  const [a, b] = [toolUse('a'), toolUse('b')]

  it.each(['claude-code', 'opencode', 'unknown'] as const)('is excluded: %s', (program) => {
    const live = [a, toolResult('a'), b, toolResult('b')]
    const stored = [a, b, toolResult('b'), toolResult('a')]
    expect(comparison({ live, stored }, program)).toStrictEqual({
      differences: [],
      excluded: [{ kind: 'tool-result-place', side: 'live', count: 1 }],
    })
  })

  it('does not hide a missing or a different result', () => {
    const live = [a, toolResult('a'), b, toolResult('b')]
    expect(comparison({ live, stored: [a, b, toolResult('b')] }).differences).toMatchObject([
      { kind: 'missing-block', id: 'a:result' },
    ])
    expect(
      comparison({ live, stored: [a, b, toolResult('a', 'other'), toolResult('b')] }).differences,
    ).toMatchObject([{ kind: 'block', id: 'a:result', field: 'output' }])
  })

  it('does not hide a call with another place', () => {
    const { differences } = comparison({
      live: [a, toolResult('a'), b, toolResult('b')],
      stored: [b, toolResult('b'), a, toolResult('a')],
    })
    expect(differences).toMatchObject([{ kind: 'order', live: ['a:0', 'b:0'], stored: ['b:0', 'a:0'] }])
  })
})
