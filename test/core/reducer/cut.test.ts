import { describe, expect, it } from 'vitest'
import {
  type EventOf,
  findSubagent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import {
  blocksOf,
  complete,
  delta,
  fold,
  idle,
  lastStep,
  remove,
  resume,
  running,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
} from './example.ts'

const start = '2026-01-01T10:00:00.000Z'
const end = '2026-01-01T10:00:05.000Z'
const later = '2026-01-01T10:01:00.000Z'

function cutTurn(fields: Partial<EventOf<'session:idle'>> = {}): SessionEvent {
  return { type: 'session:idle', outcome: 'interrupted', cut: true, ...fields }
}

function cutAgent(toolUseId: string, fields: Partial<EventOf<'subagent:completed'>> = {}): SessionEvent {
  return complete(toolUseId, { status: 'error', cut: true, ...fields })
}

const goOn: SessionEvent = { type: 'session:running', continues: true }
const prompt = upsert({ id: 'p', type: 'user_message', status: 'complete', content: 'Go.' })
const final = text('a', { content: 'whole', status: 'complete' })
const turn: readonly SessionEvent[] = [
  { type: 'session:running', timestamp: start },
  upsert(text('a', { content: 'ab' })),
  upsert(text('done', { status: 'complete' })),
  upsert(toolUse('u')),
]
const agent: readonly SessionEvent[] = [
  running,
  spawn('T', { agentId: 'X', runId: 'r1' }),
  upsert(text('a', { content: 'ab' }), 'T'),
]

function statusesOf(state: SessionConversationState, conversationId = 'main'): readonly string[] {
  return blocksOf(state, conversationId).map(({ status }) => status)
}

describe('a cut of main', () => {
  it('has the outcome that it names, or else is interrupted', () => {
    expect(fold(running, cutTurn({ outcome: 'finished' })).turn).toEqual({
      status: 'finished',
      openBlocks: [],
    })
    expect(fold(running, { type: 'session:idle', cut: true }).turn.status).toBe('interrupted')
  })

  it.each<[string, readonly SessionEvent[]]>([
    ['a new session', []],
    ['a turn that has ended', [prompt, idle()]],
    ['a turn that was cut', [...turn, cutTurn()]],
    [
      'a hook without a turn',
      [upsert({ id: 'h', type: 'system', status: 'pending', subtype: 'hook', message: '' })],
    ],
  ])('changes nothing in %s', (_, events) => {
    const { before, after, issue } = lastStep(...events, cutTurn({ timestamp: later }))
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })
})

describe('a turn that was cut', () => {
  const cut = [...turn, cutTurn({ timestamp: end, outcome: 'failed', error: 'gone' })]

  it('ends as if it had not been cut', () => {
    for (const ending of [idle(), { ...idle(), timestamp: later, outcome: 'interrupted' as const }])
      expect(fold(...cut, ending)).toEqual(fold(...turn, ending))
  })

  it.each<[string, SessionEvent]>([
    ['session:running', running],
    ['a prompt', prompt],
    ['a new text that streams', upsert(text('b'))],
    ['a new call', upsert(toolUse('v'))],
    ['an announced agent', subagentBlock('T')],
  ])('is over after the start of another turn: %s', (_, event) => {
    const state = fold(...cut, event)
    expect(state.turn).toEqual({ status: 'running' })
    expect(statusesOf(state).slice(0, 3)).toEqual(['complete', 'complete', 'complete'])
    expect(fold(...cut, event, goOn)).toEqual(state)
  })

  it('stays cut after a repeated prompt, a late final block, a delta, or news of an agent', () => {
    const news = [
      upsert(text('b', { status: 'complete' })),
      delta('a', 'c'),
      spawn('T'),
      upsert(text('a'), 'T'),
    ]
    for (const event of news) expect(fold(prompt, ...cut, event).turn.openBlocks).toEqual(['a', 'u'])
    expect(lastStep(prompt, ...cut, prompt).after.turn.openBlocks).toEqual(['a', 'u'])
  })

  it('refuses a pending block in place of one that it finalized', () => {
    const { before, after, issue } = lastStep(...cut, upsert(text('a', { content: 'new' })))
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-upsert')
  })

  it('leaves final what has ended, and gone what was removed', () => {
    const ended = fold(...cut, upsert(final), remove('u'))
    expect(ended.turn.openBlocks).toEqual([])
    expect(fold(...cut, upsert(final), remove('u'), goOn)).toEqual(fold(...turn, upsert(final), remove('u')))
    expect(fold(...cut, remove('u'), upsert(toolUse('u', { status: 'error' })), goOn).blocks).toMatchObject([
      { id: 'a', status: 'pending' },
      { id: 'done', status: 'complete' },
      { id: 'u', status: 'error' },
    ])
  })

  it('continues only as main', () => {
    const { before, after } = lastStep(...cut, spawn('T'), { ...goOn, conversationId: 'T' })
    expect(after).toBe(before)
  })
})

describe('a cut of an agent', () => {
  it.each<[string, readonly SessionEvent[]]>([
    ['unknown', []],
    ['known by its agent id alone, under another call', [upsert(text('a'), 'X')]],
    ['over', [...agent, complete('T')]],
    ['cut', [...agent, cutAgent('T')]],
  ])('changes nothing if the agent is %s', (_, events) => {
    const { before, after, issue } = lastStep(...events, cutAgent('T', { agentId: 'X', output: 'more' }))
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })

  it('of another run changes nothing', () => {
    const { before, after, issue } = lastStep(...agent, cutAgent('T', { runId: 'r2' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })
})

describe('an agent that was cut', () => {
  const cut = [...agent, cutAgent('T')]
  const continues = resume('T', { continues: true })

  it('continues under its agent id, in the run that was cut alone', () => {
    expect(fold(...cut, resume('X', { continues: true, runId: 'r1' }))).toEqual(fold(...agent))
    const { before, after, issue } = lastStep(...cut, resume('T', { continues: true, runId: 'r2' }))
    expect(after).toBe(before)
    expect(issue?.code).toBe('stale-run')
  })

  it.each<[string, readonly SessionEvent[]]>([
    ['unknown', []],
    ['running', agent],
    ['over', [...agent, complete('T')]],
  ])('is the only one that continues: %s', (_, events) => {
    const { before, after, issue } = lastStep(...events, continues)
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })

  it.each<[string, SessionEvent]>([
    ['a completion', complete('T', { output: 'all' })],
    ['its block', subagentBlock('T', { status: 'success', output: 'all' })],
  ])('ends as if it had not been cut, by %s', (_, ending) => {
    expect(fold(...cut, ending)).toEqual(fold(...agent, ending))
  })

  it('is over after the start of another run', () => {
    const state = fold(...cut, resume('T', { runId: 'r2' }))
    expect(findSubagent(state, 'T')).not.toHaveProperty('openBlocks')
    expect(state.subagents).toMatchObject([{ status: 'running', runId: 'r2', blocks: [{ status: 'error' }] }])
    expect(lastStep(...cut, resume('T', { runId: 'r1' })).issue?.code).toBe('stale-run')
  })
})

describe('two agents that turn out to be one', () => {
  const parts = [running, spawn('T'), upsert(text('a'), 'T'), upsert(text('b'), 'X')]
  const link = spawn('T', { agentId: 'X' })

  it.each([
    ['the call', [cutAgent('T')]],
    ['the agent', [cutAgent('X')]],
    ['both', [cutAgent('T'), cutAgent('X')]],
  ])('are cut if %s was, and continue', (_, cuts) => {
    const state = fold(...parts, ...cuts, link)
    expect(state.subagents).toMatchObject([{ status: 'error', openBlocks: ['a', 'b'] }])
    expect(fold(...parts, ...cuts, link, resume('T', { continues: true }))).toEqual(fold(...parts, link))
  })
})

it('an end that says the same as the cut leaves the blocks, and an agent’s end leaves the turn', () => {
  const cut = fold(...agent, upsert(text('b')), cutAgent('T'), cutTurn())
  const after = reduceSessionEvents(cut, [complete('T', { status: 'error' }), idle('T')])
  expect(findSubagent(after, 'T')).not.toHaveProperty('openBlocks')
  expect(blocksOf(after, 'T')).toBe(blocksOf(cut, 'T'))
  expect(after.turn).toBe(cut.turn)
})

it('an agent that was cut keeps its blocks when an empty one becomes part of it', () => {
  const { before, after } = lastStep(...agent, cutAgent('T'), spawn('F'), spawn('T', { formerId: 'F' }))
  expect(after.subagents[0]).toBe(before.subagents[0])
})

it('the mark of an announced agent that was cut follows its id', () => {
  const parts = [running, subagentBlock('F', { inputText: '{' })]
  const [cut] = fold(...parts, cutAgent('F'), spawn('A', { formerId: 'F' })).subagents
  expect(cut).toMatchObject({ toolUseId: 'A', openBlocks: ['subagent:A'] })
})

// After a kill, a request was `complete` in main and `error` in an agent.
it.each<[string, ...(readonly SessionEvent[])]>([
  ['an agent that failed', complete('T', { status: 'error' })],
  ['a cut', cutAgent('T'), cutTurn({ outcome: 'failed' })],
  ['a cut, and then a failure', cutAgent('T'), complete('T', { status: 'error' })],
])('a request that waits at the end of its conversation is complete: %s', (_, ...ends) => {
  const request = { id: 'r', type: 'request', status: 'pending', kind: 'permission', title: 'Mail' } as const
  expect(blocksOf(fold(...agent, upsert(request, 'T'), ...ends), 'T').at(-1)).toMatchObject({
    id: 'r',
    status: 'complete',
  })
})
