import { describe, expect, it } from 'vitest'
import type { ConversationBlock } from '../../src/index.ts'
import { sub } from './projection-examples.ts'
import { answered, called, comparison, said } from './states.ts'

describe('tool-use-place', () => {
  const pair = (...told: readonly ConversationBlock[]) => ({
    live: sub(called('c1', 'm1:0'), ...told),
    stored: sub(called('c1', 'm1:1'), ...told),
  })

  it('is left out where no text of the subagent is in the stream', () => {
    expect(comparison(pair())).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-use-place', side: 'live', count: 1 }],
    })
  })

  it('is a difference where the stream has its text', () => {
    expect(comparison(pair(said('a'))).differences).toStrictEqual([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('is a difference in main', () => {
    const { differences } = comparison({ live: [called('c1', 'm1:0')], stored: [called('c1', 'm1:1')] })
    expect(differences).toStrictEqual([
      { kind: 'block', conversationId: 'main', id: 'm1:1', field: 'id', live: 'm1:0', stored: 'm1:1' },
    ])
  })

  it('hides nothing else of the call', () => {
    const stored = sub({ ...called('c1', 'm1:1'), input: { command: 'rm' } })
    expect(comparison({ ...pair(), stored }).differences).toMatchObject([
      { kind: 'block', conversationId: 't1', id: 'm1:1', field: 'input' },
    ])
  })
})

describe('tool-result-place', () => {
  const [a, b] = [called('a'), called('b')]

  it.each(['claude-code', 'opencode', 'unknown'] as const)('is left out: %s', (program) => {
    const live = [a, answered('a'), b, answered('b')]
    const stored = [a, b, answered('b'), answered('a')]
    expect(comparison({ live, stored }, program)).toStrictEqual({
      differences: [],
      projected: [{ kind: 'tool-result-place', side: 'live', count: 1 }],
    })
  })

  it('hides no result that is missing, and none that is another', () => {
    const live = [a, answered('a'), b, answered('b')]
    expect(comparison({ live, stored: [a, b, answered('b')] }).differences).toMatchObject([
      { kind: 'missing-block', id: 'a:result' },
    ])
    expect(
      comparison({ live, stored: [a, b, answered('a', 'other'), answered('b')] }).differences,
    ).toMatchObject([{ kind: 'block', id: 'a:result', field: 'output' }])
  })

  it('hides no call that stands elsewhere', () => {
    const { differences } = comparison({
      live: [a, answered('a'), b, answered('b')],
      stored: [b, answered('b'), a, answered('a')],
    })
    expect(differences).toMatchObject([{ kind: 'order', live: ['a:0', 'b:0'], stored: ['b:0', 'a:0'] }])
  })
})
