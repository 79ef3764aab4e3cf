import { describe, expect, it } from 'vitest'
import { ofType, textsOf } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  blockDelta,
  blockStart,
  blockStop,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  readOpenStream,
  readStream,
  text,
  textDelta,
  thinking,
  toolResult,
  toolUse,
  turnResult,
} from '../messages.ts'

const begun = (...deltas: readonly string[]): readonly Message[] => [
  messageStart('m1'),
  blockStart('m1', 0, text('')),
  ...deltas.map((delta) => textDelta('m1', 0, delta)),
]

describe('a text that streams', () => {
  it('is pending and grows', () => {
    const { state } = readOpenStream(...begun('Hel', 'lo'))
    expect(state.blocks).toMatchObject([
      { type: 'assistant_text', id: 'm1:0', status: 'pending', content: 'Hello', messageId: 'm1' },
    ])
  })

  it('is replaced by the whole block', () => {
    const { state } = readStream(...begun('Hel'), assistantMessage('m1', text('Hello!')))
    expect(state.blocks).toMatchObject([{ id: 'm1:0', status: 'complete', content: 'Hello!' }])
  })

  it('is not doubled by a delta that arrives after the whole block', () => {
    const { state, reducerIssues } = readStream(
      ...begun('Hello'),
      assistantMessage('m1', text('Hello!')),
      textDelta('m1', 0, '!'),
      blockStop('m1', 0),
    )
    expect(textsOf(state)).toEqual(['Hello!'])
    expect(reducerIssues).toEqual([])
  })

  it('joins a surrogate pair that two deltas split', () => {
    const { state } = readStream(...begun('a\ud83d', '\ude00b'))
    expect(textsOf(state)).toEqual(['a😀b'])
  })

  it('does not change with an empty delta', () => {
    const { events } = readStream(...begun('', ''))
    expect(events.filter(({ type }) => type === 'block:delta')).toEqual([])
  })

  it('is reported as deltas, so that the cost of one does not grow with the text', () => {
    const { events } = readStream(...begun('Hel', 'lo'))
    expect(events.filter(({ type }) => type === 'block:delta')).toEqual([
      { type: 'block:delta', conversationId: 'main', blockId: 'm1:0', delta: 'Hel' },
      { type: 'block:delta', conversationId: 'main', blockId: 'm1:0', delta: 'lo' },
    ])
  })

  it('stays pending after its stop until the whole block arrives', () => {
    const { state } = readOpenStream(...begun('Hel'), blockStop('m1', 0))
    expect(state.blocks[0]?.status).toBe('pending')
  })

  it('is final if the input ends in the middle of it', () => {
    const { state, ending } = readStream(...begun('Hel'))
    expect(state.blocks[0]?.status).toBe('complete')
    expect(state.turn.status).toBe('interrupted')
    expect(ending).toBe('interrupted')
  })

  it('belongs to the message that started last if events name no message', () => {
    const nameless = [...begun('old '), ...begun('text')].map(({ api_message_id, ...event }) => event)
    const { state } = readStream(
      ...nameless.slice(0, 3),
      messageStop('m1'),
      {
        ...messageStart('m2'),
        api_message_id: undefined,
      },
      ...nameless.slice(4),
    )
    expect(state.blocks).toMatchObject([
      { id: 'm1:0', content: 'old ' },
      { id: 'm2:0', content: 'text' },
    ])
  })
})

describe('a message of several streamed blocks', () => {
  it('gives each whole block the place of its own start', () => {
    const { state } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, thinking('')),
      blockDelta('m1', 0, { type: 'thinking_delta', thinking: 'Hm' }),
      assistantMessage('m1', thinking('Hm.')),
      blockStop('m1', 0),
      blockStart('m1', 1, text('')),
      textDelta('m1', 1, 'One'),
      assistantMessage('m1', text('One.')),
      blockStop('m1', 1),
      blockStart('m1', 2, thinking('')),
      blockStart('m1', 3, text('')),
      textDelta('m1', 3, 'Two'),
      blockDelta('m1', 2, { type: 'thinking_delta', thinking: 'Ha' }),
      assistantMessage('m1', thinking('Ha.')),
      assistantMessage('m1', text('Two.')),
    )
    expect(state.blocks.map((block) => [block.id, block.type, 'content' in block && block.content])).toEqual([
      ['m1:0', 'thinking', 'Hm.'],
      ['m1:1', 'assistant_text', 'One.'],
      ['m1:2', 'thinking', 'Ha.'],
      ['m1:3', 'assistant_text', 'Two.'],
    ])
  })

  it('gives each whole block the place of its own start, in any order', () => {
    const { state } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, thinking('')),
      blockStart('m1', 1, text('')),
      blockStart('m1', 2, toolUse('t1', 'Read', {})),
      blockStart('m1', 3, toolUse('t2', 'Bash', {})),
      assistantMessage('m1', toolUse('t2', 'Bash')),
      assistantMessage('m1', toolUse('t1', 'Read')),
      assistantMessage('m1', text('Yes.')),
      assistantMessage('m1', thinking('Hm.')),
    )
    expect(state.blocks).toMatchObject([
      { id: 'm1:0', content: 'Hm.' },
      { id: 'm1:1', content: 'Yes.' },
      { id: 't1', toolUseId: 't1', toolName: 'Read' },
      { id: 't2', toolUseId: 't2', toolName: 'Bash' },
    ])
  })

  it('numbers hidden thinking like any other block', () => {
    const hidden = { type: 'redacted_thinking', data: 'b3BhcXVl' }
    const { state } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, hidden),
      assistantMessage('m1', hidden),
      blockStart('m1', 1, text('')),
      assistantMessage('m1', text('Yes.')),
    )
    expect(state.blocks.map(({ id, status }) => [id, status])).toEqual([
      ['m1:0', 'complete'],
      ['m1:1', 'complete'],
    ])
  })

  it('gives the same ids to blocks that were not streamed', () => {
    const lines = [
      assistantMessage('m1', text('One.')),
      assistantMessage('m1', toolUse('t1')),
      assistantMessage('m1', toolUse('t2')),
    ]
    const starts = [text(''), toolUse('t1', 'Bash', {}), toolUse('t2', 'Bash', {})]
    const partial = lines.flatMap((line, at) => [blockStart('m1', at, starts[at] ?? {}), line])
    expect(readStream(messageStart('m1'), ...partial).state.blocks).toEqual(readStream(...lines).state.blocks)
  })
})

describe('a tool call that streams', () => {
  it('begins with its name, and collects the text of its input', () => {
    const { state, events, issues } = readOpenStream(
      messageStart('m1'),
      blockStart('m1', 0, toolUse('t1', 'Edit', {})),
      blockDelta('m1', 0, { type: 'input_json_delta', partial_json: '' }),
      blockDelta('m1', 0, { type: 'input_json_delta', partial_json: '{"old":"a' }),
    )
    expect(state.blocks).toMatchObject([
      { type: 'tool_use', status: 'pending', toolName: 'Edit', input: {}, inputText: '{"old":"a' },
    ])
    expect(events.filter(({ type }) => type === 'block:delta')).toMatchObject([{ delta: '{"old":"a' }])
    expect(issues).toEqual([])
  })

  it('has the input of the whole block, which includes the program’s defaults', () => {
    const { state } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, toolUse('t1', 'Edit', {})),
      blockDelta('m1', 0, { type: 'input_json_delta', partial_json: '{"old":"a"}' }),
      assistantMessage('m1', toolUse('t1', 'Edit', { replace_all: false, old: 'a' })),
    )
    expect(ofType(state, 'tool_use')[0]?.input).toEqual({ replace_all: false, old: 'a' })
    expect(ofType(state, 'tool_use')[0]).not.toHaveProperty('inputText')
  })

  it('adds a pending subagent if it calls an agent', () => {
    const { state } = readOpenStream(messageStart('m1'), blockStart('m1', 0, agentCall('t1')))
    expect(state.blocks).toMatchObject([
      { type: 'subagent', id: 'subagent:t1', status: 'pending', messageId: 'm1' },
    ])
    expect(state.subagents).toMatchObject([
      { toolUseId: 't1', status: 'pending', parentConversationId: 'main' },
    ])
  })

  it('starts the subagent when it is whole', () => {
    const { state } = readOpenStream(
      messageStart('m1'),
      blockStart('m1', 0, toolUse('t1', 'Agent', {})),
      assistantMessage('m1', agentCall('t1')),
    )
    expect(state.blocks).toMatchObject([{ status: 'running', input: 'Do t1.', name: 'general-purpose' }])
    expect(state.blocks).toHaveLength(1)
  })
})

it('reads a retry without a stream as a message of its own', () => {
  const { state, ending } = readStream(
    ...begun('Half'),
    blockStop('m1', 0),
    messageStop('m1', 0),
    assistantMessage('m2', text('Whole.'), {}, { stop_reason: 'end_turn' }),
    turnResult(),
  )
  expect(state.blocks).toMatchObject([{ id: 'm2:0', content: 'Whole.', status: 'complete' }])
  expect(ending).toBe('finished')
})

it('does not end a busy main with a late turn result', () => {
  const { state } = readOpenStream(...begun('Hel'), turnResult(), textDelta('m1', 0, 'lo'))
  expect(state.blocks).toMatchObject([{ status: 'pending', content: 'Hello' }])
})

it('does not end a running tool call with a turn result', () => {
  const { state } = readOpenStream(assistantMessage('m1', toolUse('t1')), turnResult())
  expect(state.blocks[0]?.status).toBe('pending')
  expect(
    readStream(assistantMessage('m1', toolUse('t1')), turnResult(), toolResult('t1', 'out')).state.blocks[0]
      ?.status,
  ).toBe('complete')
})

it('finalizes unfinished blocks when the turn ends', () => {
  const { state, reducerIssues } = readStream(
    ...begun('Hello'),
    blockStop('m1', 0),
    messageDelta('m1', 'end_turn'),
    messageStop('m1'),
    turnResult(),
  )
  expect(state.blocks).toMatchObject([{ status: 'complete', content: 'Hello' }])
  expect(reducerIssues).toEqual([])
})
