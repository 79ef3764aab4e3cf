import { describe, expect, it } from 'vitest'
import { lastStep, resume } from '../example.ts'

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
