import { describe, expect, it } from 'vitest'
import { blocksOf, fold, places, spawn } from '../example.ts'

const at = (second: number) => `2025-01-01T00:00:0${second}Z`

describe.each(places)('a spawn in $place', ({ conversationId, start }) => {
  const full = spawn('T', {
    conversationId,
    timestamp: at(1),
    prompt: 'go',
    subagentType: 'Explore',
    description: 'looks',
    agentId: 'X',
    runId: 'r1',
    messageId: 'm1',
  })

  it('only adds unknown facts when it is repeated', () => {
    const bare = spawn('T', { conversationId, prompt: 'first' })
    const state = fold(...start, bare, full)
    const known = { agentId: 'X', name: 'Explore', description: 'looks' }
    expect(state.subagents.at(-1)).toMatchObject({ ...known, prompt: 'first', runId: 'r1' })
    expect(blocksOf(state, conversationId)).toMatchObject([
      { ...known, input: 'first', messageId: 'm1', timestamp: at(1) },
    ])
  })
})
