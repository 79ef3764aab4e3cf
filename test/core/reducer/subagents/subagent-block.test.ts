import { describe, expect, it } from 'vitest'
import { findBlock, findSubagent, type SessionEvent } from '../../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  delta,
  fold,
  idle,
  lastStep,
  places,
  resume,
  running,
  spawn,
  subagentBlock,
  text,
  upsert,
} from '../example.ts'

const facts = {
  agentId: 'X',
  name: 'Explore',
  description: 'looks',
  messageId: 'm1',
  timestamp: '2025-01-01T00:00:01Z',
}

describe.each(places)(
  'the upsert of a subagent’s block in $place',
  ({ conversationId, canonicalId, start }) => {
    it('counts as the spawn that it describes', () => {
      const state = fold(
        ...start,
        subagentBlock('T', { ...facts, status: 'running', input: 'go' }, conversationId),
      )
      const { messageId, timestamp, ...known } = facts
      expect(blocksOf(state, conversationId)).toEqual([
        {
          type: 'subagent',
          id: 'subagent:T',
          conversationId: canonicalId,
          toolUseId: 'T',
          ...facts,
          input: 'go',
          status: 'running',
        },
      ])
      expect(state.subagents.at(-1)).toEqual({
        toolUseId: 'T',
        parentConversationId: canonicalId,
        ...known,
        prompt: 'go',
        status: 'running',
        blocks: [],
        usage: [],
      })
    })

    it('counts as the completion that it describes', () => {
      const end = { status: 'error', output: 'failed', durationMs: 5 } as const
      const state = fold(...start, subagentBlock('T', { ...facts, ...end }, conversationId))
      expect(blocksOf(state, conversationId)).toMatchObject([end])
      expect(state.subagents.at(-1)).toMatchObject(end)
    })

    it('leads to the same state as a spawn and a completion', () => {
      const { name, ...named } = facts
      const events = [
        spawn('T', { ...named, conversationId, prompt: 'go', subagentType: name }),
        complete('T', { output: 'done', durationMs: 5 }),
      ]
      const block = { ...facts, status: 'success', input: 'go', output: 'done', durationMs: 5 } as const
      expect(fold(...start, subagentBlock('T', block, conversationId))).toEqual(fold(...start, ...events))
    })

    it('announces a subagent whose call is still streaming', () => {
      const state = fold(...start, subagentBlock('T', {}, conversationId))
      expect(blocksOf(state, conversationId)).toMatchObject([
        { id: 'subagent:T', status: 'pending', input: '' },
      ])
      expect(state.subagents.at(-1)).toMatchObject({ toolUseId: 'T', status: 'pending' })
      expect(state.subagents.at(-1)).not.toHaveProperty('prompt')
    })

    it.each(['any', 'subagent:other', '', 'subagent:T'])('stores it under its own id, not under %j', (id) => {
      const state = fold(...start, subagentBlock('T', { id }, conversationId))
      expect(blocksOf(state, conversationId)).toMatchObject([{ id: 'subagent:T' }])
    })

    it('changes nothing when it is repeated', () => {
      const block = subagentBlock('T', { ...facts, status: 'success', output: 'done' }, conversationId)
      const { before, after, issue } = lastStep(...start, block, block)
      expect(after).toBe(before)
      expect(issue).toBeUndefined()
    })
  },
)

it('a subagent’s block goes to its own conversationId, else to main', () => {
  const block = { id: 'any', type: 'subagent', status: 'running', toolUseId: 'T', input: '' } as const
  const inMain = fold({ type: 'block:upsert', block })
  const inParent = fold({ type: 'block:upsert', block: { ...block, conversationId: 'P' } })
  expect(findSubagent(inMain, 'T')?.parentConversationId).toBe('main')
  expect(findSubagent(inParent, 'T')?.parentConversationId).toBe('P')
  expect(blocksOf(inParent, 'P')).toMatchObject([{ id: 'subagent:T', conversationId: 'P' }])
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

  it('is running after the spawn of an announced subagent', () => {
    const state = fold(subagentBlock('T'), spawn('T', { prompt: 'go' }))
    expect(state.subagents).toMatchObject([{ status: 'running', prompt: 'go' }])
    expect(state.blocks).toMatchObject([{ status: 'running', input: 'go' }])
  })

  it.each([
    ['success', 'complete'],
    ['error', 'error'],
  ] as const)('finalizes the pending blocks of a running subagent: %s', (status, blockStatus) => {
    const state = fold(spawn('T'), upsert(text('a'), 'T'), subagentBlock('T', { status }))
    expect(blocksOf(state, 'T')).toMatchObject([{ status: blockStatus }])
  })

  it('leaves the pending blocks of a final subagent unchanged', () => {
    const log = [spawn('T'), complete('T'), upsert(text('a'), 'T')]
    expect(blocksOf(fold(...log, subagentBlock('T', { status: 'success' })), 'T')).toMatchObject([
      { status: 'pending' },
    ])
  })
})

it('ends a resumed run with a new output', () => {
  const ended = subagentBlock('T', { status: 'success', output: 'two' })
  const state = fold(spawn('T'), complete('T', { output: 'one' }), resume('T'), ended)
  expect(findSubagent(state, 'T')).toMatchObject({ status: 'success', output: 'two' })
})

describe('the facts of a subagent’s block', () => {
  it('only fill in unknown facts', () => {
    const full = { ...facts, status: 'success', input: 'go', output: 'done', durationMs: 5 } as const
    const other = {
      name: 'O',
      description: 'O',
      input: 'O',
      output: 'O',
      durationMs: 9,
      messageId: 'O',
      timestamp: 'O',
    }
    const { before, after } = lastStep(
      subagentBlock('T', full),
      subagentBlock('T', { ...other, status: 'success' }),
    )
    expect(after).toBe(before)
  })

  it('fill in what a final subagent lacks', () => {
    const state = fold(
      complete('T'),
      subagentBlock('T', { ...facts, status: 'success', input: 'go', output: 'done' }),
    )
    const known = { agentId: 'X', name: 'Explore', description: 'looks', output: 'done', status: 'success' }
    expect(state.subagents).toMatchObject([{ ...known, prompt: 'go' }])
    expect(state.blocks).toMatchObject([{ ...known, input: 'go' }])
  })

  it('erase nothing when they are absent', () => {
    const { before, after } = lastStep(
      spawn('T', { subagentType: 'Explore', agentId: 'X' }),
      subagentBlock('T', { status: 'running' }),
    )
    expect(after).toBe(before)
  })

  it('do not count an empty prompt as known', () => {
    const state = fold(subagentBlock('T'), subagentBlock('T', { input: 'go' }))
    expect(state.subagents).toMatchObject([{ prompt: 'go' }])
    expect(state.blocks).toMatchObject([{ input: 'go' }])
  })

  it('include the message id and time of the first event that brings them', () => {
    const state = fold(
      spawn('T'),
      subagentBlock('T', { messageId: 'm1' }),
      spawn('T', { messageId: 'm2', timestamp: '1' }),
      subagentBlock('T', { messageId: 'm3', timestamp: '2' }),
    )
    expect(state.blocks).toMatchObject([{ messageId: 'm1', timestamp: '1' }])
  })

  it('do not include the time of the completion', () => {
    const state = fold(spawn('T'), complete('T', { timestamp: '9' }))
    expect(state.blocks[0]).not.toHaveProperty('timestamp')
  })
})

describe('the block shows the facts of the state', () => {
  it('after a resume', () => {
    const state = fold(
      spawn('T', { prompt: '' }),
      complete('T', { output: 'one' }),
      resume('T', { prompt: 'go' }),
    )
    expect(state.blocks).toMatchObject([{ status: 'running', input: 'go', output: 'one' }])
  })

  it('in a parent that is itself a subagent', () => {
    const state = fold(
      spawn('P'),
      spawn('T', { conversationId: 'P' }),
      complete('T', { output: 'x', agentId: 'X' }),
    )
    expect(blocksOf(state, 'P')).toMatchObject([{ status: 'success', output: 'x', agentId: 'X' }])
  })
})

describe('the input of a call that starts an agent', () => {
  const streams = [running, subagentBlock('T', { inputText: '{"pro' }), delta('subagent:T', 'mpt":')]
  const inputText = (...events: readonly SessionEvent[]) => {
    const block = findBlock(fold(...events), 'main', 'subagent:T')
    return block?.type === 'subagent' ? block.inputText : 'no block'
  }

  it('streams into the announced block, in main and in an agent', () => {
    expect(inputText(...streams)).toBe('{"prompt":')
    const nested = fold(
      spawn('P'),
      subagentBlock('T', { inputText: '' }, 'P'),
      delta('subagent:T', '{', 'P'),
      upsert(text('a'), 'T'),
    )
    expect(blocksOf(nested, 'P')).toMatchObject([{ status: 'pending', inputText: '{' }])
    expect(nested.subagents[1]).not.toHaveProperty('inputText')
  })

  it('does not stream without an announcement of it', () => {
    const { before, after, issue } = lastStep(subagentBlock('T'), delta('subagent:T', '{'))
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-without-text')
  })

  it('is what the last announcement says', () => {
    expect(inputText(...streams, subagentBlock('T', { inputText: '{}' }))).toBe('{}')
    expect(inputText(...streams, subagentBlock('T', { input: 'go' }))).toBeUndefined()
    const { before, after } = lastStep(
      subagentBlock('T', { inputText: '{}' }),
      subagentBlock('T', { inputText: '{}' }),
    )
    expect(after).toBe(before)
  })

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
    expect(fold(...cut, continued, ...rest)).toEqual(fold(...streams, ...rest))
    expect(inputText(...cut, delta('subagent:T', '1}'), continued)).toBe('{"prompt":1}')
  })
})
