import { describe, expect, it } from 'vitest'
import { comparison, modelText, subagent, tokens, toolResult } from '../states.ts'
import { live, stored, testExclusion, withSubagent } from './examples.ts'

testExclusion('unknown-fact', {
  excluded: [
    [
      'a block’s time',
      stored([{ ...modelText('a'), timestamp: '2026-01-01T12:00:00.000Z' }], [modelText('a')], 'unknown'),
    ],
    ['its model', live([{ ...modelText('a'), model: 'one' }], [modelText('a')])],
    ['a result’s duration', live([{ ...toolResult('a'), durationMs: 0 }], [toolResult('a')])],
    ['a subagent’s run', live({ subagents: [subagent('t1', [], { runId: 'r' })] }, withSubagent())],
    ['its duration', stored({ subagents: [subagent('t1', [], { durationMs: 1 })] }, withSubagent())],
    ['a message’s model', stored({ usage: [tokens('m', { model: 'one' })] }, { usage: [tokens('m')] })],
    ['the session’s id', live({ session: { id: 's1' } }, {}, 'opencode')],
    ['its cost', live({ session: { costUsd: 0 } })],
    ['its tools', live({ session: { tools: [] } })],
    ['its program', live({ session: { program: 'claude-code' } }, {}, 'unknown')],
  ],
  compared: [
    ['an agent’s id', stored({ subagents: [subagent('t1', [], { agentId: 'a1' })] }, withSubagent())],
    [
      'its parent',
      stored(withSubagent(), { subagents: [{ toolUseId: 't1', status: 'success', blocks: [], usage: [] }] }),
    ],
    ['its report', stored({ subagents: [subagent('t1', [], { output: 'One.' })] }, withSubagent())],
    ['a figure', stored({ usage: [tokens('m', { inputTokens: 1 })] }, { usage: [tokens('m')] })],
    ['a message', stored([{ ...modelText('a'), messageId: 'm1' }], [modelText('a')])],
  ],
})

describe('provisional-usage', () => {
  const early = tokens('m1', { final: false, outputTokens: 1 })
  const final = tokens('m1')

  it.each(['live', 'stored'] as const)('is excluded if %s has only an early figure', (side) => {
    const pair = { live: { usage: [final] }, stored: { usage: [final] } }
    expect(comparison({ ...pair, [side]: { usage: [early] } }, 'unknown')).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side, count: 1 }],
    })
  })

  it('is excluded if the other side has none', () => {
    expect(
      comparison({ live: { blocks: [modelText('a')], usage: [early] }, stored: [modelText('a')] }),
    ).toStrictEqual({
      differences: [],
      projected: [{ kind: 'provisional-usage', side: 'live', count: 1 }],
    })
  })

  it('does not hide different final figures', () => {
    const pair = {
      live: { usage: [early, tokens('m2')] },
      stored: { usage: [final, tokens('m2', { outputTokens: 9 })] },
    }
    expect(comparison(pair).differences).toMatchObject([{ kind: 'usage', id: 'm2', live: 10, stored: 9 }])
  })
})

testExclusion('unseen-usage', {
  excluded: [
    ['of a message that the stream does not have', stored({ usage: [tokens('m1')] })],
    ['of one that was not stored', live({ usage: [tokens('m1')] }, {}, 'unknown')],
  ],
  compared: [
    [
      'of a message that the other side has',
      stored({ blocks: [modelText('a')], usage: [tokens('a-message')] }, { blocks: [modelText('a')] }),
    ],
  ],
})
