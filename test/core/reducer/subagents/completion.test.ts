import { describe, expect, it } from 'vitest'
import { blocksOf, complete, fold, spawn, text, upsert } from '../example.ts'

describe('a fact that a completion leaves out', () => {
  it('is absent, not undefined', () => {
    const state = fold(spawn('T'), complete('T'))
    for (const part of [state.subagents[0], state.blocks[0]])
      expect(Object.values(part ?? {})).not.toContain(undefined)
  })
})

describe('a pending block of a subagent that ends', () => {
  it('is finalized before the spawn arrives', () => {
    expect(blocksOf(fold(upsert(text('a'), 'T'), complete('T')), 'T')).toMatchObject([{ status: 'complete' }])
  })
})

describe('the run of a completion', () => {
  it('is stored if no run is known', () => {
    expect(fold(spawn('T'), complete('T', { runId: 'r1' })).subagents).toMatchObject([{ runId: 'r1' }])
  })
})
