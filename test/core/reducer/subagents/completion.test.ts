import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  fold,
  lastStep,
  places,
  resume,
  spawn,
  subagentBlock,
  text,
  upsert,
} from '../example.ts'

const ends = [
  { status: 'completed', subagentStatus: 'success', blockStatus: 'complete' },
  { status: 'error', subagentStatus: 'error', blockStatus: 'error' },
] as const

describe.each(places)('the completion of a subagent with a spawn in $place', ({ conversationId, start }) => {
  const spawned = [...start, spawn('T', { conversationId })]

  it.each(ends)('finalizes its state and its block: $status', ({ status, subagentStatus }) => {
    const end = { status: subagentStatus, agentId: 'X', output: 'done', durationMs: 5 }
    const state = fold(...spawned, complete('T', { status, agentId: 'X', output: 'done', durationMs: 5 }))
    expect(findSubagent(state, 'T')).toMatchObject(end)
    expect(blocksOf(state, conversationId)).toMatchObject([{ id: 'subagent:T', ...end }])
  })

  it('keeps the order of the parent’s blocks', () => {
    const beside = upsert(text('b'), conversationId)
    const state = fold(...spawned, beside, complete('T'))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['subagent:T', 'b'])
  })

  it('changes nothing when it is repeated', () => {
    const end = complete('T', { output: 'done', durationMs: 5, agentId: 'X', runId: 'r1' })
    const { before, after, issue } = lastStep(...spawned, end, end)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

describe('a completion before its spawn', () => {
  it.each(ends)('creates the subagent, final: $status', ({ status, subagentStatus }) => {
    const { after, issue } = lastStep(complete('T', { status, output: 'done', agentId: 'X', runId: 'r1' }))
    expect(after.subagents).toEqual([
      {
        toolUseId: 'T',
        agentId: 'X',
        runId: 'r1',
        status: subagentStatus,
        output: 'done',
        blocks: [],
        usage: [],
      },
    ])
    expect(after.blocks).toEqual([])
    expect(issue).toBeUndefined()
  })

  it.each(ends)(
    'gives its status and output to the block of a later spawn: $status',
    ({ status, subagentStatus }) => {
      const state = fold(complete('T', { status, output: 'done' }), spawn('T'))
      expect(state.blocks).toMatchObject([
        { id: 'subagent:T', status: subagentStatus, output: 'done', input: 'do' },
      ])
      expect(state.subagents).toMatchObject([{ status: subagentStatus, output: 'done', prompt: 'do' }])
    },
  )

  it('leads to the same state as one after its spawn', () => {
    const [spawned, completed] = [spawn('T', { subagentType: 'Explore' }), complete('T', { output: 'done' })]
    expect(fold(completed, spawned)).toEqual(fold(spawned, completed))
  })
})

describe('a fact that a completion leaves out', () => {
  const first = complete('T', { agentId: 'X', runId: 'r1', output: 'done', durationMs: 5 })

  it('keeps its value', () => {
    const state = fold(spawn('T', { subagentType: 'Explore', description: 'looks' }), first, complete('T'))
    const kept = { agentId: 'X', name: 'Explore', description: 'looks', output: 'done', durationMs: 5 }
    expect(state.subagents).toMatchObject([{ ...kept, runId: 'r1', prompt: 'do' }])
    expect(state.blocks).toMatchObject([{ ...kept, input: 'do' }])
  })

  it('is absent, not undefined', () => {
    const state = fold(spawn('T'), complete('T'))
    for (const part of [state.subagents[0], state.blocks[0]])
      expect(Object.values(part ?? {})).not.toContain(undefined)
  })
})

describe('a pending block of a subagent that ends', () => {
  it.each(ends)('becomes $blockStatus: $status', ({ status, blockStatus }) => {
    const state = fold(spawn('T'), upsert(text('a'), 'T'), upsert(text('b'), 'T'), complete('T', { status }))
    expect(blocksOf(state, 'T').map((block) => block.status)).toEqual([blockStatus, blockStatus])
  })

  it('is finalized before the spawn arrives', () => {
    expect(blocksOf(fold(upsert(text('a'), 'T'), complete('T')), 'T')).toMatchObject([{ status: 'complete' }])
  })

  it('leaves final blocks unchanged', () => {
    const final = upsert(text('a', { status: 'complete' }), 'T')
    const { before, after } = lastStep(spawn('T'), final, complete('T', { status: 'error' }))
    expect(findSubagent(after, 'T')?.blocks).toBe(findSubagent(before, 'T')?.blocks)
  })

  it('stays pending in the own subagents: background agents outlive their parent', () => {
    const state = fold(spawn('T'), spawn('C', { conversationId: 'T' }), upsert(text('a'), 'C'), complete('T'))
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'subagent:C', status: 'running' }])
    expect(findSubagent(state, 'C')).toMatchObject({ status: 'running', blocks: [{ status: 'pending' }] })
  })

  it('stays pending in other conversations', () => {
    const { before, after } = lastStep(spawn('T'), spawn('U'), upsert(text('a'), 'U'), complete('T'))
    expect(findSubagent(after, 'U')).toBe(findSubagent(before, 'U'))
  })
})

describe('the run of a completion', () => {
  it('makes the reducer ignore the whole event if another run is current', () => {
    const stale = complete('T', { runId: 'r1', agentId: 'X', output: 'old' })
    const { before, after, issue } = lastStep(spawn('T', { runId: 'r2' }), stale)
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })

  it('makes the reducer ignore the event after a resume with a new run', () => {
    const log = [spawn('T', { runId: 'r1' }), complete('T', { runId: 'r1' }), resume('T', { runId: 'r2' })]
    const { before, after, issue } = lastStep(...log, complete('T', { runId: 'r1' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })

  it.each([
    ['the same run', { runId: 'r1' }],
    ['no run', {}],
  ])('is accepted for %s, and the last one wins', (_, run) => {
    const first = complete('T', { runId: 'r1', output: 'one', status: 'error' })
    const { after, issue } = lastStep(
      spawn('T', { runId: 'r1' }),
      first,
      complete('T', { ...run, output: 'two' }),
    )
    expect(after.subagents).toMatchObject([{ status: 'success', output: 'two', runId: 'r1' }])
    expect(after.blocks).toMatchObject([{ status: 'success', output: 'two' }])
    expect(issue).toBeUndefined()
  })

  it('is stored if no run is known', () => {
    expect(fold(spawn('T'), complete('T', { runId: 'r1' })).subagents).toMatchObject([{ runId: 'r1' }])
  })

  it('is compared with the run of a placeholder', () => {
    const { before, after, issue } = lastStep(
      resume('X', { runId: 'r2' }),
      complete('T', { agentId: 'X', runId: 'r1' }),
    )
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })
})

it('a call that never starts an agent ends with an error', () => {
  const state = fold(subagentBlock('T'), complete('T', { status: 'error', output: 'no such agent' }))
  expect(state.subagents).toMatchObject([{ status: 'error', output: 'no such agent' }])
  expect(state.blocks).toMatchObject([{ status: 'error', output: 'no such agent' }])
})

it('a late block of a completed subagent is stored, and the subagent stays final', () => {
  const state = fold(spawn('T'), complete('T'), upsert(text('a'), 'T'))
  expect(state.subagents).toMatchObject([{ status: 'success', blocks: [{ id: 'a', status: 'pending' }] }])
})
