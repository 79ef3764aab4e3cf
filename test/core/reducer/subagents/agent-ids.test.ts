import { describe, expect, it } from 'vitest'
import { findSubagent, type SessionEvent } from '../../../../src/entries/index.ts'
import { complete, lastStep, spawn, subagentBlock } from '../example.ts'

const naming: [string, (toolUseId: string, agentId: string) => SessionEvent][] = [
  ['spawn', (toolUseId, agentId) => spawn(toolUseId, { agentId, description: 'new' })],
  ['subagent’s block', (toolUseId, agentId) => subagentBlock(toolUseId, { agentId, description: 'new' })],
  ['completion', (toolUseId, agentId) => complete(toolUseId, { agentId, output: 'new' })],
]

describe.each(naming)('the agentId of a %s', (_, name) => {
  it('is refused if a spawned agent has it as toolUseId and as agentId', () => {
    const { after, issue } = lastStep(spawn('X', { agentId: 'X' }), name('T', 'X'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
  })
})

describe('an agent that is known by its own id', () => {
  it.each(naming)('joins its call after its end when a %s links both ids', (_, name) => {
    const { after, issue } = lastStep(
      spawn('T'),
      complete('X', { agentId: 'X', output: 'done' }),
      name('T', 'X'),
    )
    expect(issue).toBeUndefined()
    expect(after.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X', status: 'success' }])
    expect(after.subagents).toHaveLength(1)
  })

  it('does not join a call that it has started itself', () => {
    const { after, issue } = lastStep(spawn('T', { conversationId: 'X' }), complete('T', { agentId: 'X' }))
    expect(issue?.code).toBe('cycle')
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
    expect(after.subagents.map(({ toolUseId }) => toolUseId).sort()).toEqual(['T', 'X'])
  })
})

it('a repeated spawn without an agentId is no conflict', () => {
  const { after, issue } = lastStep(spawn('T', { agentId: 'X' }), spawn('T'))
  expect(issue).toBeUndefined()
  expect(after.subagents).toMatchObject([{ toolUseId: 'T', agentId: 'X' }])
})

it('a call does not start itself, even if its id is another agent’s', () => {
  const { before, after, issue } = lastStep(spawn('T', { agentId: 'X' }), spawn('X', { conversationId: 'X' }))
  expect(issue?.code).toBe('cycle')
  expect(after).toBe(before)
})
