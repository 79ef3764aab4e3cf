import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/index.ts'
import { comparison, modelText, toolResult, toolUse } from '../states.ts'
import { withSubagent } from './examples.ts'

describe('tool-use-place', () => {
  const pair = (...texts: readonly ConversationBlock[]) => ({
    live: withSubagent(toolUse('c1', 'm1:0'), ...texts),
    stored: withSubagent(toolUse('c1', 'm1:1'), ...texts),
  })

  it('is excluded if the stream has no text of the subagent', () => {
    expect(comparison(pair())).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-use-place', side: 'live', count: 1 }],
    })
  })

  it('is a difference if the stream has its text', () => {
    expect(comparison(pair(modelText('a'))).differences).toStrictEqual([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('is a difference in main', () => {
    const { differences } = comparison({ live: [toolUse('c1', 'm1:0')], stored: [toolUse('c1', 'm1:1')] })
    expect(differences).toStrictEqual([
      { kind: 'block', conversationId: 'main', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('does not hide other fields of the call', () => {
    const stored = withSubagent({ ...toolUse('c1', 'm1:1'), input: { command: 'rm' } })
    expect(comparison({ ...pair(), stored }).differences).toMatchObject([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'input' },
    ])
  })
})

describe('tool-result-place', () => {
  const [a, b] = [toolUse('a'), toolUse('b')]

  it.each(['claude-code', 'opencode', 'unknown'] as const)('is excluded: %s', (program) => {
    const live = [a, toolResult('a'), b, toolResult('b')]
    const stored = [a, b, toolResult('b'), toolResult('a')]
    expect(comparison({ live, stored }, program)).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-result-place', side: 'live', count: 1 }],
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
