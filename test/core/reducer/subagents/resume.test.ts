import { describe, expect, it } from 'vitest'
import { complete, delta, fold, lastStep, resume, spawn, subagentBlock, text, upsert } from '../example.ts'

const ended = [spawn('T', { runId: 'r1' }), complete('T', { output: 'one', durationMs: 5 })]

describe('a resume of a final subagent', () => {
  it.each(['completed', 'error'] as const)('lets it run again after %s: state and block', (status) => {
    const { after, issue } = lastStep(spawn('T'), complete('T', { status }), resume('T', { runId: 'r2' }))
    expect(after.subagents).toMatchObject([{ status: 'running', runId: 'r2' }])
    expect(after.blocks).toMatchObject([{ status: 'running' }])
    expect(issue).toBeUndefined()
  })

  it('keeps prompt and output until the next completion', () => {
    const resumed = [...ended, resume('T', { runId: 'r2', prompt: 'more' })]
    const running = fold(...resumed)
    expect(running.subagents).toMatchObject([{ prompt: 'do', output: 'one', durationMs: 5 }])
    expect(running.blocks).toMatchObject([{ input: 'do', output: 'one', durationMs: 5 }])
    const again = fold(...resumed, complete('T', { runId: 'r2', output: 'two' }))
    expect(again.subagents).toMatchObject([{ prompt: 'do', output: 'two', status: 'success' }])
    expect(again.blocks).toMatchObject([{ output: 'two', status: 'success' }])
  })

  it('fills a prompt that was unknown or empty', () => {
    for (const start of [spawn('T', { prompt: '' }), complete('T')]) {
      const state = fold(start, complete('T'), resume('T', { prompt: 'go' }))
      expect(state.subagents).toMatchObject([{ prompt: 'go' }])
    }
  })

  it('without a run id makes the run unknown, so that every completion applies', () => {
    const { after, issue } = lastStep(...ended, resume('T'))
    expect(after.subagents[0]).not.toHaveProperty('runId')
    expect(issue).toBeUndefined()
    expect(lastStep(...ended, resume('T'), complete('T', { runId: 'r9' })).issue).toBeUndefined()
  })

  it('keeps the same identity and its blocks', () => {
    const log = [spawn('T', { agentId: 'X' }), upsert(text('a', { status: 'complete' }), 'T'), complete('T')]
    const { before, after } = lastStep(...log, resume('X', { runId: 'r2' }))
    expect(after.subagents).toHaveLength(1)
    expect(after.subagents[0]).toMatchObject({ toolUseId: 'T', agentId: 'X', status: 'running' })
    expect(after.subagents[0]?.blocks).toBe(before.subagents[0]?.blocks)
  })

  it('adds new blocks to the same conversation', () => {
    const state = fold(...ended, resume('T'), upsert(text('b'), 'T'), delta('b', 'more', 'T'))
    expect(state.subagents).toMatchObject([{ blocks: [{ id: 'b', content: 'more', status: 'pending' }] }])
  })

  it('does not restart the run that has ended, when it arrives again', () => {
    const again = resume('T', { runId: 'r2' })
    const { before, after, issue } = lastStep(...ended, again, complete('T', { runId: 'r2' }), again)
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })

  it('changes nothing when it is repeated', () => {
    const again = resume('T', { runId: 'r2', prompt: 'more' })
    const { before, after, issue } = lastStep(...ended, again, again)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

describe('a resume of a subagent that is not final', () => {
  it.each([
    ['pending', subagentBlock('T')],
    ['running', spawn('T', { prompt: '' })],
  ] as const)('only fills in what is unknown: %s', (status, start) => {
    const { after, issue } = lastStep(start, resume('T', { runId: 'r1', prompt: 'go' }))
    expect(after.subagents).toMatchObject([{ status, runId: 'r1', prompt: 'go' }])
    expect(after.blocks).toMatchObject([{ status, input: 'go' }])
    expect(issue).toBeUndefined()
  })

  it('with another run does not replace the one that runs', () => {
    const { before, after, issue } = lastStep(spawn('T', { runId: 'r1' }), resume('T', { runId: 'r2' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('already-running')
  })

  it.each([{ runId: 'r1' }, {}])('with the same run or none changes nothing: %j', (run) => {
    const { before, after, issue } = lastStep(
      spawn('T', { runId: 'r1' }),
      resume('T', { ...run, prompt: 'more' }),
    )
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

describe('a resume of an unknown subagent', () => {
  it('creates it as running', () => {
    const { after, issue } = lastStep(resume('T', { runId: 'r1', prompt: 'go' }))
    expect(after.subagents).toEqual([
      { toolUseId: 'T', runId: 'r1', prompt: 'go', status: 'running', blocks: [], usage: [] },
    ])
    expect(after.blocks).toEqual([])
    expect(issue).toBeUndefined()
  })
})
