import { describe, expect, it } from 'vitest'
import { examples, live, stored, sub } from './projection-examples.ts'
import { answered, comparison, said, subagent, tokens } from './states.ts'

examples('unknown-fact', {
  left: [
    [
      'a block’s time',
      stored([{ ...said('a'), timestamp: '2026-01-01T12:00:00.000Z' }], [said('a')], 'unknown'),
    ],
    ['its model', live([{ ...said('a'), model: 'one' }], [said('a')])],
    ['a result’s duration', live([{ ...answered('a'), durationMs: 0 }], [answered('a')])],
    ['a subagent’s run', live({ subagents: [subagent('t1', [], { runId: 'r' })] }, sub())],
    ['its duration', stored({ subagents: [subagent('t1', [], { durationMs: 1 })] }, sub())],
    ['a message’s model', stored({ usage: [tokens('m', { model: 'one' })] }, { usage: [tokens('m')] })],
    ['the session’s id', live({ session: { id: 's1' } }, {}, 'opencode')],
    ['its cost', live({ session: { costUsd: 0 } })],
    ['its tools', live({ session: { tools: [] } })],
    ['its program', live({ session: { program: 'claude-code' } }, {}, 'unknown')],
  ],
  told: [
    ['an agent’s id', stored({ subagents: [subagent('t1', [], { agentId: 'a1' })] }, sub())],
    [
      'its parent',
      stored(sub(), { subagents: [{ toolUseId: 't1', status: 'success', blocks: [], usage: [] }] }),
    ],
    ['its report', stored({ subagents: [subagent('t1', [], { output: 'One.' })] }, sub())],
    ['a figure', stored({ usage: [tokens('m', { inputTokens: 1 })] }, { usage: [tokens('m')] })],
    ['a message', stored([{ ...said('a'), messageId: 'm1' }], [said('a')])],
  ],
})

describe('provisional-usage', () => {
  const early = tokens('m1', { final: false, outputTokens: 1 })
  const final = tokens('m1')

  it.each(['live', 'stored'] as const)('is left out where %s knows an early snapshot only', (side) => {
    const pair = { live: { usage: [final] }, stored: { usage: [final] } }
    expect(comparison({ ...pair, [side]: { usage: [early] } }, 'unknown')).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side, count: 1 }],
    })
  })

  it('is left out where the other side has none', () => {
    expect(comparison({ live: { blocks: [said('a')], usage: [early] }, stored: [said('a')] })).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side: 'live', count: 1 }],
    })
  })

  it('hides no final figures that are others', () => {
    const pair = {
      live: { usage: [early, tokens('m2')] },
      stored: { usage: [final, tokens('m2', { outputTokens: 9 })] },
    }
    expect(comparison(pair).differences).toMatchObject([{ kind: 'usage', id: 'm2', live: 10, stored: 9 }])
  })
})

examples('unseen-usage', {
  left: [
    ['of a message that the stream has nothing of', stored({ usage: [tokens('m1')] })],
    ['of one that was not stored', live({ usage: [tokens('m1')] }, {}, 'unknown')],
  ],
  told: [
    [
      'of a message that the other side has',
      stored({ blocks: [said('a')], usage: [tokens('a-message')] }, { blocks: [said('a')] }),
    ],
  ],
})
