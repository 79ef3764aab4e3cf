import { describe, expect, it } from 'vitest'
import { ofType, textsOf } from '../recordings.ts'
import { ended, entry, event, type Fields, head, line, readLines, started } from './made-lines.ts'

const message = (role: string, text: string, id?: string) =>
  entry({ type: 'message', role, ...(id && { id }), content: [{ type: 'input_text', text }] })

describe('a rollout without items', () => {
  it('has each text once, with the id of its entry', () => {
    const { state } = readLines(
      head,
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
    const { state } = readLines(
      head,
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
    const { state } = readLines(
      head,
      started,
      message('assistant', 'The summary.'),
      line('compacted', { message: 'The summary.' }),
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
    const { state } = readLines(
      head,
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
    const call = (name: string, input: Fields) =>
      entry({ type: 'function_call', name, call_id: name, arguments: JSON.stringify(input) })
    const output = (name: string, text: unknown) =>
      entry({ type: 'function_call_output', call_id: name, output: text })
    const { state } = readLines(
      head,
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

it('unknown lines are issues with a count, and change nothing', () => {
  const { issues } = readLines(
    head,
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

const readEvents = (...events: readonly Fields[]) => readLines(head, started, ...events.map(event))

describe('an event of a rollout', () => {
  it.each(['error', 'warning', 'stream_error'])('%s is a note with its message, or an empty one', (type) => {
    const noteOf = (...facts: readonly Fields[]) => {
      const { state, issues } = readEvents(...facts.map((fact) => ({ type, ...fact })))
      expect(issues.filter(({ code }) => code === 'unknown-block')).toEqual([])
      return [...ofType(state, 'system'), ...ofType(state, 'error')].map((note) => note.message)
    }
    expect(noteOf({ message: 'No answer.' })).toContain('No answer.')
    expect(noteOf({})).toContain('')
  })

  it('shows an image that the model looks at', () => {
    const { state } = readEvents({ type: 'view_image_tool_call', call_id: 'c', path: '/srv/demo/a.png' })
    expect(JSON.stringify(ofType(state, 'tool_use'))).toContain('/srv/demo/a.png')
  })

  it.each([
    [{ status: 'completed' }, false],
    [{ success: false }, true],
  ])('shows a patch with %j', (facts, isError) => {
    const changes = { '/srv/demo/a.txt': { type: 'add', content: 'one\n' } }
    const { state } = readEvents({ type: 'patch_apply_end', call_id: 'c', changes, ...facts })
    expect(ofType(state, 'tool_result').map((result) => result.isError)).toEqual([isError])
  })

  it.each([
    [{ type: 'turn_aborted', completed_at: 1_700_000_000, duration_ms: 5 }, 'interrupted'],
    [{ type: 'turn_aborted' }, 'interrupted'],
    [{ type: 'task_complete', error: { message: 'Broken.' } }, 'failed'],
    [{ type: 'turn_complete', last_agent_message: 'Done.' }, 'finished'],
  ])('%j ends the turn', (end, status) => {
    expect(readEvents({ turn_id: 'turn', ...end }).state.turn.status).toBe(status)
  })

  it('of an unknown or missing type is an issue', () => {
    const { issues } = readEvents({ type: 'new_event' }, {}, { type: 'constructor' })
    expect(issues.map(({ messageType }) => messageType).join(' ')).toBe(
      'event_msg/new_event event_msg/untyped event_msg/constructor',
    )
  })
})
