import { describe, expect, it } from 'vitest'
import { findBlock, type SessionEvent } from '../../../../src/entries/index.ts'
import {
  complete,
  delta,
  fold,
  idle,
  lastStep,
  places,
  remove,
  resume,
  running,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
} from '../example.ts'

const facts = {
  agentId: 'X',
  name: 'Explore',
  description: 'looks',
  messageId: 'm1',
  timestamp: '2025-01-01T00:00:01Z',
}

describe.each(places)('the upsert of a subagent’s block in $place', ({ conversationId, start }) => {
  it('leads to the same state as a spawn and a completion', () => {
    const { name, ...named } = facts
    const events = [
      spawn('T', { ...named, conversationId, prompt: 'go', subagentType: name }),
      complete('T', { output: 'done', durationMs: 5 }),
    ]
    const block = { ...facts, status: 'success', input: 'go', output: 'done', durationMs: 5 } as const
    expect(fold(...start, subagentBlock('T', block, conversationId))).toEqual(fold(...start, ...events))
  })
})

describe('the status of a subagent’s block', () => {
  const log = {
    pending: [subagentBlock('T')],
    running: [spawn('T')],
    success: [spawn('T'), complete('T')],
    error: [spawn('T'), complete('T', { status: 'error' })],
  } as const

  it.each([
    ['pending', 'pending', 'pending'],
    ['pending', 'running', 'running'],
    ['pending', 'success', 'success'],
    ['pending', 'error', 'error'],
    ['running', 'pending', 'running'],
    ['running', 'running', 'running'],
    ['running', 'success', 'success'],
    ['running', 'error', 'error'],
    ['success', 'pending', 'success'],
    ['success', 'running', 'success'],
    ['success', 'success', 'success'],
    ['success', 'error', 'success'],
    ['error', 'pending', 'error'],
    ['error', 'running', 'error'],
    ['error', 'success', 'error'],
  ] as const)('brings a subagent that is %s and a block that is %s to %s', (known, status, expected) => {
    const state = fold(...log[known], subagentBlock('T', { status }))
    expect(state.subagents).toMatchObject([{ status: expected }])
    expect(state.blocks).toMatchObject([{ status: expected }])
  })
})

describe('the input of a call that starts an agent', () => {
  const streams = [running, subagentBlock('T', { inputText: '{"pro' }), delta('subagent:T', 'mpt":')]
  const inputText = (...events: readonly SessionEvent[]) => {
    const block = findBlock(fold(...events), 'main', 'subagent:T')
    return block?.type === 'subagent' ? block.inputText : 'no block'
  }

  it.each<[string, SessionEvent]>([
    ['a spawn', spawn('T')],
    ['a block that runs', subagentBlock('T', { status: 'running', inputText: '{}' })],
    ['a block that is final', subagentBlock('T', { status: 'success', inputText: '{}' })],
    ['a completion', complete('T')],
  ])('is gone after the start or the end of the agent: %s', (_, event) => {
    expect(inputText(...streams, event)).toBeUndefined()
    expect(inputText(...streams, event, subagentBlock('T', { inputText: '{}' }))).toBeUndefined()
    expect(lastStep(...streams, event, delta('subagent:T', 'x')).issue?.code).toBe('delta-without-text')
  })

  it('stays through the end of the turn, through facts of the agent, and through its link', () => {
    for (const event of [idle(), resume('T', { prompt: 'go' }), upsert(text('a'), 'T')])
      expect(inputText(...streams, event)).toBe('{"prompt":')
    const linked = fold(
      upsert(text('a'), 'X'),
      ...streams,
      subagentBlock('T', { agentId: 'X', inputText: '{' }),
    )
    expect(linked.blocks).toMatchObject([{ agentId: 'X', status: 'pending', inputText: '{' }])
  })

  it('streams on after a cut', () => {
    const cut = [...streams, complete('T', { status: 'error', cut: true })]
    expect(inputText(...cut)).toBe('{"prompt":')
    expect(inputText(...cut, subagentBlock('T'))).toBe('{"prompt":')
    const rest = [delta('subagent:T', '1}'), spawn('T', { prompt: '1' })]
    const continued = resume('T', { continues: true })
    expect(inputText(...cut, complete('T', { status: 'error' }))).toBeUndefined()
    expect(fold(...cut, continued, ...rest)).toEqual(fold(...streams, ...rest))
    expect(inputText(...cut, delta('subagent:T', '1}'), continued)).toBe('{"prompt":1}')
  })
})

it('an announced agent without a block gets none from facts alone', () => {
  const gone = [
    subagentBlock('T'),
    upsert(text('a'), 'T'),
    remove('subagent:T'),
    resume('T', { prompt: 'go' }),
  ]
  expect(fold(...gone)).toMatchObject({
    blocks: [],
    subagents: [{ toolUseId: 'T', status: 'pending', prompt: 'go' }],
  })
})

it('the block of an agent that had another id takes the place of its call', () => {
  const places = [upsert(toolUse('A')), upsert(text('b')), spawn('F', { messageId: 'm' })]
  expect(fold(...places, spawn('A', { formerId: 'F' })).blocks).toMatchObject([
    { id: 'subagent:A', toolUseId: 'A', messageId: 'm' },
    { id: 'b' },
  ])
})

it('an agent of a workflow stands below the call that launched it, behind the agents before it', () => {
  const { blocks } = fold(
    upsert(toolUse('L')),
    upsert(toolUse('other')),
    ...['A', 'B'].map((id) => spawn(id, { launchedBy: 'L' })),
    spawn('C', { launchedBy: 'unknown' }),
    spawn('D'),
    upsert(toolUse('E')),
    spawn('E', { launchedBy: 'L' }),
  )
  expect(blocks.map(({ id }) => id)).toEqual(
    ['L', 'A', 'B', 'other', 'C', 'D', 'E'].map((id) => (/^(L|other)$/.test(id) ? id : `subagent:${id}`)),
  )
})
