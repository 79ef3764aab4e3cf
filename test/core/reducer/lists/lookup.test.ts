import { describe, expect, it } from 'vitest'
import { findSubagent, type SessionEvent } from '../../../../src/entries/index.ts'
import {
  complete,
  delta,
  fold,
  idle,
  lastStep,
  remove,
  resume,
  spawn,
  text,
  upsert,
  usage,
} from '../example.ts'

// T's own log uses the id X. Later another call has X as its toolUseId.
const named = [spawn('T', { agentId: 'X' })]
const collided = [...named, spawn('X')]

describe('a subagent is found by its agentId', () => {
  it.each<[string, readonly SessionEvent[], object]>([
    ['block:upsert', [upsert(text('a'), 'X')], { blocks: [{ id: 'a', conversationId: 'T' }] }],
    ['block:delta', [upsert(text('a'), 'T'), delta('a', 'x', 'X')], { blocks: [{ content: 'x' }] }],
    ['block:removed', [upsert(text('a'), 'T'), remove('a', 'X')], { blocks: [] }],
    ['session:idle', [upsert(text('a'), 'T'), idle('X')], { blocks: [{ status: 'complete' }] }],
    ['usage:reported', [usage('m', 1, { conversationId: 'X' })], { usage: [{ messageId: 'm' }] }],
    ['subagent:completed', [complete('X', { output: 'done' })], { status: 'success', output: 'done' }],
    ['subagent:resumed', [complete('T'), resume('X', { runId: 'r2' })], { status: 'running', runId: 'r2' }],
  ])('by %s', (_, events, expected) => {
    const { after, issue } = lastStep(...named, ...events)
    expect(after.subagents).toHaveLength(1)
    expect(after.subagents[0]).toMatchObject({ toolUseId: 'T', ...expected })
    expect(issue).toBeUndefined()
  })
})

describe('a toolUseId wins over an equal agentId', () => {
  it('for a resume', () => {
    const state = fold(...collided, complete('X'), complete('T'), resume('X'))
    expect(findSubagent(state, 'T')?.status).toBe('success')
    expect(findSubagent(state, 'X')?.status).toBe('running')
  })
})
