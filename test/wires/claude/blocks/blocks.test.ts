import { describe, expect, it } from 'vitest'
import { blocksOf, ofType } from '../../recordings.ts'
import {
  agentCall,
  assistantMessage,
  fromSubagent,
  type Message,
  readOpenStream,
  readStream,
  system,
  text,
  thinking,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const ids = (...messages: readonly Message[]) => blocksOf(readStream(...messages).state).map(({ id }) => id)

describe('the blocks of one model message', () => {
  it('are numbered in order, one block a line', () => {
    expect(
      ids(
        assistantMessage('m1', thinking('Hm.')),
        assistantMessage('m1', text('Yes.')),
        assistantMessage('m1', toolUse('t1')),
      ),
    ).toEqual(['m1:0', 'm1:1', 't1'])
  })

  it('keep counting after a tool result between the lines', () => {
    const { state } = readStream(
      assistantMessage('m1', text('Two at once.')),
      assistantMessage('m1', toolUse('t1', 'Read')),
      toolResult('t1', 'one'),
      assistantMessage('m1', toolUse('t2')),
      toolResult('t2', 'two'),
    )
    expect(state.blocks.map(({ id, status }) => [id, status])).toEqual([
      ['m1:0', 'complete'],
      ['t1', 'complete'],
      ['t1:result', 'complete'],
      ['t2', 'complete'],
      ['t2:result', 'complete'],
    ])
  })

  it('keep counting after a subagent’s lines between the lines', () => {
    const { state } = readStream(
      assistantMessage('m1', agentCall('t1')),
      assistantMessage('sub1', text('Looking.'), fromSubagent('t1', 'a1')),
      assistantMessage('m1', agentCall('t2')),
      assistantMessage('m1', text('Both run.')),
    )
    expect(state.blocks.map(({ id }) => id)).toEqual(['subagent:t1', 'subagent:t2', 'm1:2'])
    expect(blocksOf(state, 't1').map(({ id }) => id)).toEqual(['sub1:0'])
  })

  it('are all read if one line holds several', () => {
    const both = assistantMessage('m1', undefined, {}, { content: [text('One.'), text('Two.')] })
    expect(ids(both)).toEqual(['m1:0', 'm1:1'])
  })

  it('may have the same ids as blocks of another conversation', () => {
    const { state } = readStream(
      assistantMessage('m1', agentCall('t1')),
      assistantMessage('m1', text('The parent.')),
      assistantMessage('m1', text('The copy.'), fromSubagent('t1', 'a1')),
    )
    expect(state.blocks[1]).toMatchObject({ id: 'm1:1', content: 'The parent.' })
    expect(blocksOf(state, 't1')).toMatchObject([{ id: 'm1:0', content: 'The copy.' }])
  })

  it('take their id from the line if the message has none', () => {
    expect(ids(assistantMessage('', text('Hi.'), { uuid: 'u1' }, { id: undefined }))).toEqual(['u1:0'])
  })

  it('name their message, model and time', () => {
    const timestamp = '2026-01-01T12:00:00.000Z'
    expect(readStream(assistantMessage('m1', text('Hi.'), { timestamp })).state.blocks).toEqual([
      {
        type: 'assistant_text',
        id: 'm1:0',
        status: 'complete',
        conversationId: 'main',
        content: 'Hi.',
        messageId: 'm1',
        model: 'claude-opus-5-5',
        timestamp,
      },
    ])
  })
})

describe('thinking', () => {
  it('is empty and marked as redacted if the provider hides it', () => {
    const { state } = readStream(assistantMessage('m1', { type: 'redacted_thinking', data: 'b3BhcXVl' }))
    expect(state.blocks).toMatchObject([{ type: 'thinking', id: 'm1:0', content: '', redacted: true }])
  })
})

describe('a tool call', () => {
  it('is pending until its result arrives', () => {
    const { state } = readOpenStream(assistantMessage('m1', toolUse('t1', 'Read', { file_path: '/a' })))
    expect(state.blocks).toMatchObject([
      { type: 'tool_use', status: 'pending', toolName: 'Read', toolUseId: 't1', input: { file_path: '/a' } },
    ])
  })

  it('keeps its input when the result completes it', () => {
    const { state } = readStream(
      assistantMessage('m1', toolUse('t1', 'Read', { file_path: '/a' })),
      toolResult('t1', 'text'),
    )
    expect(state.blocks[0]).toMatchObject({ status: 'complete', input: { file_path: '/a' } })
    expect(state.blocks[1]).toMatchObject({ toolUseId: 't1', output: 'text', isError: false })
  })

  it('fails with its result, for example a command with exit code 3', () => {
    const { state } = readStream(
      assistantMessage('m1', toolUse('t1')),
      toolResult('t1', 'Exit code 3\nout', { tool_use_result: 'Error: Exit code 3' }, { is_error: true }),
    )
    expect(state.blocks).toMatchObject([
      { type: 'tool_use', status: 'error' },
      { type: 'tool_result', status: 'error', isError: true, output: 'Exit code 3\nout' },
    ])
  })

  it('succeeds if is_error is absent', () => {
    const { state } = readStream(assistantMessage('m1', toolUse('t1', 'Write')), toolResult('t1', 'Written.'))
    expect(ofType(state, 'tool_result')[0]).toMatchObject({ status: 'complete', isError: false })
  })

  it('may be a call of a provider’s or an MCP server’s tool', () => {
    const { state } = readStream(
      assistantMessage('m1', {
        type: 'server_tool_use',
        id: 's1',
        name: 'web_search',
        input: { query: 'q' },
      }),
      assistantMessage('m1', { type: 'mcp_tool_use', id: 's2', name: 'ask', input: {} }),
    )
    expect(ofType(state, 'tool_use').map(({ toolName }) => toolName)).toEqual(['web_search', 'ask'])
  })

  it('gets its result even if another conversation has a call with the same id', () => {
    const { state } = readOpenStream(
      assistantMessage('m1', agentCall('a')),
      assistantMessage('m2', toolUse('t1')),
      assistantMessage('m3', toolUse('t1'), fromSubagent('a', 'a1')),
      toolResult('t1', 'of main'),
    )
    expect(ofType(state, 'tool_use')[0]?.status).toBe('complete')
    expect(blocksOf(state, 'a')).toMatchObject([{ status: 'pending' }])
  })
})

describe('a tool result', () => {
  it.each<[string, unknown, unknown]>([
    ['a string unchanged', 'out', 'out'],
    ['a single text as a string', [text('out')], 'out'],
    ['several parts unchanged', [text('a'), text('b')], [text('a'), text('b')]],
    [
      'a reference to a tool',
      [{ type: 'tool_reference', tool_name: 'Send' }],
      [{ type: 'tool_reference', tool_name: 'Send' }],
    ],
    [
      'an image',
      [{ type: 'image', source: { type: 'base64' } }],
      [{ type: 'image', source: { type: 'base64' } }],
    ],
    ['no content as an empty string', undefined, ''],
    ['a bare string in a list', ['out'], 'out'],
  ])('has %s', (_, content, output) => {
    const { state, issues } = readStream(assistantMessage('m1', toolUse('t1')), toolResult('t1', content))
    expect(ofType(state, 'tool_result')[0]?.output).toEqual(output)
    expect(issues).toEqual([])
  })

  it('is a block even without its call', () => {
    const { state, reducerIssues } = readStream(toolResult('t9', 'late'))
    expect(state.blocks).toMatchObject([{ id: 't9:result', output: 'late' }])
    expect(reducerIssues).toEqual([])
  })

  it('has the tool’s duration if the program states it', () => {
    const { state } = readStream(
      assistantMessage('m1', toolUse('t1')),
      toolResult('t1', '', { tool_use_result: { durationMs: 12 } }),
    )
    expect(ofType(state, 'tool_result')[0]?.durationMs).toBe(12)
  })

  it('may share its line with the person’s message', () => {
    const { state } = readStream(
      assistantMessage('m1', toolUse('t1')),
      userMessage([{ type: 'tool_result', tool_use_id: 't1', content: 'no' }, text('Stop that.')], {
        uuid: 'u1',
      }),
    )
    expect(state.blocks.slice(1)).toMatchObject([{ id: 't1:result' }, { id: 'u1', content: 'Stop that.' }])
  })
})

it('reads ids like __proto__ as plain ids', () => {
  const { state, reducerIssues } = readStream(
    assistantMessage('__proto__', toolUse('constructor')),
    toolResult('constructor', 'out'),
    system('task_updated', { task_id: '__proto__', patch: { status: 'completed' } }),
  )
  expect(state.blocks.map(({ id }) => id)).toEqual(['constructor', 'constructor:result'])
  expect(reducerIssues).toEqual([])
})
