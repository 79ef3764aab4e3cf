import { describe, expect, it } from 'vitest'
import { findSubagent, reduceSessionEvent, type SessionEvent } from '../../../../src/entries/index.ts'
import { blocksOf, complete, fold, lastStep, places, spawn, subagentBlock, text, upsert } from '../example.ts'

const naming: [string, (toolUseId: string, agentId: string) => SessionEvent][] = [
  ['spawn', (toolUseId, agentId) => spawn(toolUseId, { agentId, description: 'new' })],
  ['subagent’s block', (toolUseId, agentId) => subagentBlock(toolUseId, { agentId, description: 'new' })],
  ['completion', (toolUseId, agentId) => complete(toolUseId, { agentId, output: 'new' })],
]

describe.each(naming)('the agentId of a %s', (type, name) => {
  const news = type === 'completion' ? { output: 'new' } : { description: 'new' }

  it.each(places)('is in the state and in the block of a subagent in $place', ({ conversationId, start }) => {
    const state = fold(...start, spawn('T', { conversationId }), name('T', 'X'))
    expect(findSubagent(state, 'T')?.agentId).toBe('X')
    expect(blocksOf(state, conversationId)[0]).toMatchObject({ id: 'subagent:T', agentId: 'X' })
  })

  it('does not replace the first one, and the other facts of the event apply', () => {
    const { after, issue } = lastStep(spawn('T', { agentId: 'X' }), name('T', 'Y'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(after.subagents).toMatchObject([{ agentId: 'X', ...news }])
    expect(after.blocks).toMatchObject([{ agentId: 'X', ...news }])
  })

  it('merges no subagents when it is a second one', () => {
    const state = fold(spawn('T', { agentId: 'X' }), upsert(text('a'), 'Y'), name('T', 'Y'))
    expect(findSubagent(state, 'T')).toMatchObject({ agentId: 'X', blocks: [] })
    expect(findSubagent(state, 'Y')).toMatchObject({ toolUseId: 'Y', blocks: [{ id: 'a' }] })
  })

  it('is refused if another subagent has it, and the other facts of the event apply', () => {
    const { after, issue } = lastStep(spawn('A', { agentId: 'X' }), spawn('T'), name('T', 'X'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(findSubagent(after, 'T')).toMatchObject(news)
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
    expect(findSubagent(after, 'X')?.toolUseId).toBe('A')
  })

  it('is refused for a new subagent if another one has it', () => {
    const { after, issue } = lastStep(spawn('A', { agentId: 'X' }), name('T', 'X'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(findSubagent(after, 'T')).toMatchObject({ toolUseId: 'T', ...news })
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
  })

  it('never merges an agent that has a spawn of its own', () => {
    const { after, issue } = lastStep(spawn('X'), upsert(text('a'), 'X'), spawn('T'), name('T', 'X'))
    expect(issue).toBeUndefined()
    expect(after.subagents).toMatchObject([
      { toolUseId: 'X', blocks: [{ id: 'a' }] },
      { toolUseId: 'T', agentId: 'X', blocks: [] },
    ])
    expect(findSubagent(after, 'X')?.toolUseId).toBe('X')
  })

  it('never turns an agent with a spawn of its own into a new subagent', () => {
    const state = fold(spawn('X'), upsert(text('a'), 'X'), name('T', 'X'))
    expect(state.subagents).toMatchObject([
      { toolUseId: 'X', blocks: [{ id: 'a' }] },
      { toolUseId: 'T', agentId: 'X', blocks: [] },
    ])
  })

  it('is refused if a spawned agent has it as toolUseId and as agentId', () => {
    const { after, issue } = lastStep(spawn('X', { agentId: 'X' }), name('T', 'X'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
  })

  it('is refused if another subagent has it, even if it is a spawned agent’s toolUseId too', () => {
    const { after, issue } = lastStep(spawn('A', { agentId: 'X' }), spawn('X'), name('T', 'X'))
    expect(issue?.code).toBe('agent-id-conflict')
    expect(findSubagent(after, 'T')).not.toHaveProperty('agentId')
  })

  it('is refused if it equals the own toolUseId but is another’s agentId', () => {
    const { after, issue } = lastStep(spawn('A', { agentId: 'X' }), spawn('X'), name('X', 'X'))
    expect(findSubagent(after, 'A')?.agentId).toBe('X')
    expect(issue?.code).toBe('agent-id-conflict')
    expect(after.subagents.filter(({ agentId }) => agentId === 'X')).toHaveLength(1)
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

it.each(naming.slice(0, 2))('a parent conflict is reported before a conflict of agent ids: %s', (_, name) => {
  const spawned = [spawn('P'), spawn('T', { conversationId: 'P', agentId: 'X' })]
  expect(lastStep(...spawned, name('T', 'Y')).issue?.code).toBe('parent-conflict')
})

// The index of a state moves to the next state, and an older state must not find what only the newer one has.
describe('the id of an agent', () => {
  const removed: SessionEvent = { type: 'block:removed', blockId: 'subagent:A' }

  it('finds the agent of each state, whichever goes on', () => {
    const before = fold(subagentBlock('A', { status: 'pending' }), spawn('B', { agentId: 'Y' }))
    const linked = reduceSessionEvent(before, subagentBlock('A', { status: 'pending', agentId: 'X' }))
    const gone = reduceSessionEvent(reduceSessionEvent(linked, upsert(text('b'), 'Y')), removed)
    const states = [linked, gone, before].map((state) => reduceSessionEvent(state, upsert(text('a'), 'X')))
    expect(
      states.map((state) => state.subagents.map(({ toolUseId, blocks }) => [toolUseId, blocks.length])),
    ).toEqual([
      [
        ['A', 1],
        ['B', 0],
      ],
      [
        ['B', 1],
        ['X', 1],
      ],
      [
        ['A', 0],
        ['B', 0],
        ['X', 1],
      ],
    ])
  })
})
