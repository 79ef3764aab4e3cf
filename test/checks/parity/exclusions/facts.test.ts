import { describe, expect, it } from 'vitest'
import type { BlockOf, FileChange, Todo } from '../../../../src/entries/index.ts'
import { comparison, modelText, subagent, tokens, toolResult } from '../states.ts'
import { live, stored, testExclusion, withSubagent } from './examples.ts'

const edit: FileChange = { path: '/a', kind: 'edit', added: 1, removed: 1 }
const lines = ['-one', '-one', '+two', '+two']
const diff: FileChange = {
  ...edit,
  added: 2,
  removed: 2,
  hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }],
}
const result = (...changes: readonly FileChange[]): BlockOf<'tool_result'> => ({
  ...toolResult('a'),
  ...(changes.length > 0 && { changes }),
})
const todos: readonly Todo[] = [{ text: 'Look', status: 'pending' }]
const withAgent = (plan: readonly Todo[] | undefined) => ({
  subagents: [subagent('t1', [modelText('b')], plan && { todos: plan })],
})

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
    ['a diff, and counts from the input of the call', stored([result(diff)], [result(edit)])],
    ['a diff among others', live([result(diff, edit)], [result(edit, edit)])],
    ['its program', live({ session: { program: 'claude-code' } }, {}, 'unknown')],
  ],
  compared: [
    ['an agent’s id', stored({ subagents: [subagent('t1', [], { agentId: 'a1' })] }, withSubagent())],
    [
      'its parent',
      stored(withSubagent(), { subagents: [{ toolUseId: 't1', status: 'success', blocks: [], usage: [] }] }),
    ],
    ['other counts', stored([result({ ...edit, added: 2 })], [result(edit)])],
    ['another file', live([result({ ...diff, path: '/b' })], [result(edit)])],
    ['another diff', live([result({ ...diff, added: 3 })], [result(diff)])],
    ['diffs of both sides', live([result(diff, edit)], [result(edit, diff)])],
    ['a change', live([result(edit)], [result()])],
    ['a plan', stored({ todos }, {})],
    ['an agent’s plan', stored(withAgent(todos), withAgent(undefined))],
    ['its report', stored({ subagents: [subagent('t1', [], { output: 'One.' })] }, withSubagent())],
    ['a figure', stored({ usage: [tokens('m', { inputTokens: 1 })] }, { usage: [tokens('m')] })],
    ['a message', stored([{ ...modelText('a'), messageId: 'm1' }], [modelText('a')])],
  ],
})

// Claude Code has one task list for all agents.
it('excludes a plan that an agent without a stream may have changed', () => {
  const unseen = { live: { subagents: [subagent('t1')] }, stored: { ...withAgent(todos), todos } }
  expect(comparison(unseen).differences).toEqual([])
  expect(comparison({ ...unseen, live: withAgent(todos) }).differences).toMatchObject([
    { kind: 'session', field: 'todos' },
  ])
})

describe('provisional-usage', () => {
  const early = tokens('m1', { final: false, outputTokens: 1 })
  const final = tokens('m1')

  it.each(['live', 'stored'] as const)('is excluded if %s has only an early figure', (side) => {
    const pair = { live: { usage: [final] }, stored: { usage: [final] } }
    expect(comparison({ ...pair, [side]: { usage: [early] } }, 'unknown')).toStrictEqual({
      differences: [],
      excluded: [{ kind: 'provisional-usage', side, count: 1 }],
    })
  })

  it('is excluded if the other side has none', () => {
    expect(
      comparison({ live: { blocks: [modelText('a')], usage: [early] }, stored: [modelText('a')] }),
    ).toStrictEqual({
      differences: [],
      excluded: [{ kind: 'provisional-usage', side: 'live', count: 1 }],
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
