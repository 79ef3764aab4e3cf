import { describe, expect, it } from 'vitest'
import { ofType, textsOf } from '../recordings.ts'
import { replay } from './recordings.ts'

type Payload = Readonly<Record<string, unknown>>

const lineOf = (type: string, payload: Payload) => ({ timestamp: '2026-11-22T17:00:00.000Z', type, payload })
const meta = lineOf('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.140.0' })
const entry = (payload: Payload) => lineOf('response_item', payload)
const event = (payload: Payload) => lineOf('event_msg', payload)
const message = (role: string, text: string, id?: string) =>
  entry({ type: 'message', role, ...(id && { id }), content: [{ type: 'input_text', text }] })
const started = event({ type: 'task_started', turn_id: 'turn' })
const ended = event({ type: 'task_complete', turn_id: 'turn' })
const read = (...lines: readonly unknown[]) => replay(lines.map((line) => JSON.stringify(line)).join('\n'))

describe('a rollout without items', () => {
  it('has each text once, with the id of its entry', () => {
    const { state } = read(
      meta,
      started,
      message('user', 'Go.'),
      event({ type: 'user_message', message: 'Go.', images: ['data:image/png;base64,AA=='] }),
      event({ type: 'agent_message', message: 'Done.' }),
      message('assistant', 'Done.', 'msg_1'),
      ended,
    )
    expect(textsOf(state)).toEqual(['Done.'])
    expect(ofType(state, 'assistant_text')[0]?.id).toBe('msg_1')
    expect(ofType(state, 'user_message').map(({ content }) => content)).toEqual([
      [
        { type: 'text', text: 'Go.' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
      ],
    ])
  })

  it('has a text whose entry comes first, and one whose entry is missing', () => {
    const { state } = read(
      meta,
      started,
      message('assistant', 'First.', 'msg_1'),
      event({ type: 'agent_message', message: 'First.' }),
      event({ type: 'agent_message', message: 'Second.' }),
      event({ type: 'agent_message', message: 'Third.' }),
      ended,
    )
    expect(textsOf(state)).toEqual(['First.', 'Second.', 'Third.'])
  })

  it('does not show the reply that sums up the conversation, but a compaction', () => {
    const { state } = read(
      meta,
      started,
      message('assistant', 'The summary.'),
      lineOf('compacted', { message: 'The summary.' }),
      ended,
    )
    expect(textsOf(state)).toEqual([])
    expect(state.blocks.map(({ type }) => type)).toEqual(['system', 'user_message'])
  })

  it.each([
    ['a command', 'exec_command', { cmd: 'plot' }, []],
    ['a call that looks at it', 'view_image', { path: '/a.png' }, []],
    [
      'a call whose item comes first',
      'view_image',
      { path: '/a.png' },
      [
        event({
          type: 'item_completed',
          thread_id: 't',
          item: { type: 'ImageView', id: 'c', path: 'file:///a.png' },
        }),
      ],
    ],
  ])('keeps the image in the output of %s, once', (_, name, input, items) => {
    const output = [
      { type: 'input_text', text: 'Seen.' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]
    const answer = entry({ type: 'function_call_output', call_id: 'c', output })
    const { state } = read(
      meta,
      started,
      entry({ type: 'function_call', name, call_id: 'c', arguments: JSON.stringify(input) }),
      ...items,
      answer,
      answer,
      ended,
    )
    const shown = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }
    expect(ofType(state, 'tool_result')).toMatchObject([
      { toolUseId: 'c', status: 'complete', output: [output[0], shown] },
    ])
  })

  it('shows the calls of earlier versions with their results', () => {
    const call = (name: string, input: Payload) =>
      entry({ type: 'function_call', name, call_id: name, arguments: JSON.stringify(input) })
    const output = (name: string, text: unknown) =>
      entry({ type: 'function_call_output', call_id: name, output: text })
    const { state } = read(
      meta,
      started,
      call('shell', { command: ['bash', '-lc', 'ls'] }),
      output('shell', JSON.stringify({ output: 'a.txt\n', metadata: { exit_code: 2 } })),
      call('view_image', { path: 'a.png' }),
      output('view_image', 'attached local image path'),
      entry({
        type: 'local_shell_call',
        call_id: 'local',
        action: { type: 'exec', command: ['git', 'status'] },
      }),
      output('local', 'Exit code: 0\nWall time: 1 seconds\nOutput:\nclean'),
      entry({ type: 'web_search_call', id: 'ws', action: { type: 'open_page', url: 'https://example.com' } }),
      entry({ type: 'tool_search_call', call_id: 'search', arguments: { query: 'x' } }),
      entry({ type: 'tool_search_output', call_id: 'search', tools: [] }),
      call('exec_command', { cmd: 'sleep 9' }),
      output(
        'exec_command',
        'Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n',
      ),
      event({
        type: 'exec_command_end',
        call_id: 'exec_command',
        command: ['/bin/zsh', '-lc', 'sleep 9'],
        aggregated_output: 'over',
        exit_code: 0,
        status: 'completed',
      }),
      event({
        type: 'mcp_tool_call_end',
        call_id: 'mcp',
        invocation: { server: 's', tool: 't' },
        result: { Err: 'no' },
      }),
      event({
        type: 'patch_apply_end',
        call_id: 'patch',
        success: false,
        stderr: 'does not fit',
        changes: { '/a': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n' } },
      }),
      ended,
    )
    expect(
      ofType(state, 'tool_result').map(({ toolUseId, output: text, isError }) => [toolUseId, text, isError]),
    ).toEqual([
      ['shell', 'a.txt\n', true],
      ['view_image', '', false],
      ['local', 'clean', false],
      ['search', [], false],
      ['exec_command', 'over', false],
      ['mcp', 'no', true],
      ['patch', 'does not fit', true],
    ])
    expect(ofType(state, 'tool_use').map(({ toolName, input }) => [toolName, input])).toEqual([
      ['command_execution', { command: 'ls' }],
      ['image_view', { path: 'a.png' }],
      ['command_execution', { command: 'git status' }],
      ['web_search', { query: 'https://example.com' }],
      ['tool_search', { query: 'x' }],
      ['command_execution', { command: 'sleep 9' }],
      ['mcp__s__t', {}],
      ['file_change', { changes: [{ path: '/a', kind: 'update' }] }],
    ])
  })
})

describe('a rollout of entries alone', () => {
  it('shows prompts before their answers, and ends with the last answer', () => {
    const { state, ending } = read(
      meta,
      message('user', '<environment_context>\n</environment_context>'),
      message('user', 'One.'),
      message('assistant', 'First.'),
      message('user', 'Two.'),
      entry({ type: 'message', role: 'assistant', content: 'Second.' }),
    )
    expect(state.blocks.map((block) => 'content' in block && block.content)).toEqual([
      'One.',
      'First.',
      'Two.',
      'Second.',
    ])
    expect(ending).toBe('finished')
  })
})

describe('unknown lines', () => {
  it('are issues with a count, and change nothing', () => {
    const { issues } = read(
      meta,
      event({ type: 'tea_break' }),
      event({ type: 'tea_break' }),
      entry({ type: 'scribble' }),
      event({ type: 'item_completed', item: { type: 'Teapot', id: 'x' } }),
      { type: 'tea_break' },
    )
    expect(issues.map(({ code, count, messageType }) => [code, count, messageType])).toEqual([
      ['unknown-block', 2, 'event_msg/tea_break'],
      ['unknown-block', 1, 'response_item/scribble'],
      ['unknown-block', 1, 'item/Teapot'],
      ['unknown-message', 1, 'tea_break'],
    ])
  })
})
