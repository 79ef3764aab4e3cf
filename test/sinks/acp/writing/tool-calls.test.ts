import { describe, expect, it } from 'vitest'
import type { BlockOf, FileChange } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import type { ToolCallStart } from '../../../../src/sinks/acp/messages.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { stateOf } from './states.ts'

type Call = Partial<Omit<BlockOf<'tool_use'>, 'type' | 'conversationId'>>
type Result = Partial<Omit<BlockOf<'tool_result'>, 'type' | 'conversationId'>>

const callBlock = (call: Call): IncomingBlock => ({
  type: 'tool_use',
  id: 'c',
  toolUseId: 'c',
  toolName: 'Bash',
  input: {},
  status: 'pending',
  ...call,
})

const resultBlock = (result: Result): IncomingBlock => ({
  type: 'tool_result',
  id: 'c:result',
  toolUseId: 'c',
  output: '',
  isError: false,
  status: 'complete',
  ...result,
})

function callsOf(blocks: readonly IncomingBlock[], cwd = '/srv/demo'): readonly ToolCallStart[] {
  const state = stateOf([
    { type: 'session:updated', facts: { id: 's', cwd } },
    ...blocks.map((block) => ({ type: 'block:upsert' as const, block })),
  ])
  return toSessionUpdates(state).flatMap(({ update }) =>
    update.sessionUpdate === 'tool_call' ? [update] : [],
  )
}

/** The update of one call. */
function sent(call: Call, ...results: readonly Result[]): ToolCallStart | undefined {
  return callsOf([callBlock(call), ...results.map(resultBlock)])[0]
}

const contentOf = (output: unknown, toolName = 'Read') => sent({ toolName, input: {} }, { output })?.content
const block = (text: string) => ({ type: 'content', content: { type: 'text', text } })

describe('a tool call', () => {
  it('is one update with its input and its output', () => {
    expect(sent({ input: { command: 'ls\npwd' }, status: 'complete' }, { output: 'src\n' })).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'ls',
      name: 'Bash',
      kind: 'execute',
      status: 'completed',
      rawInput: { command: 'ls\npwd' },
      rawOutput: 'src\n',
      content: [block('```console\nsrc\n```')],
    })
  })

  it.each([
    ['in_progress', {}, []],
    ['pending', { inputText: '{"command":"l' }, []],
    ['completed', {}, [{}]],
    ['completed', { status: 'complete' }, []],
    ['failed', { status: 'error' }, []],
    ['failed', {}, [{ isError: true }]],
    ['in_progress', {}, [{ status: 'pending', isError: true }]],
  ] as const)('is %s for the call %j with the results %j', (status, call, results) => {
    expect(sent(call, ...results)?.status).toBe(status)
  })

  it('is pending while the person has to allow it', () => {
    const [call] = callsOf([
      callBlock({}),
      { type: 'request', id: 'r', kind: 'permission', title: 'Bash', toolUseId: 'c', status: 'pending' },
    ])
    expect(call?.status).toBe('pending')
  })

  it('has the input as far as it is known while it streams', () => {
    expect(sent({ input: {}, inputText: '{"command":"ec' })?.rawInput).toEqual({ command: 'ec' })
    expect(sent({ toolName: 'apply_patch', input: '', inputText: '*** Begin' })?.rawInput).toBe('*** Begin')
  })

  it.each([
    ['execute', 'Bash'],
    ['read', 'Read'],
    ['edit', 'Write'],
    ['search', 'Grep'],
    ['fetch', 'WebFetch'],
    ['other', 'mcp__github__list'],
    ['other', 'wait_agent'],
    ['think', 'TodoWrite'],
    ['switch_mode', 'ExitPlanMode'],
    ['switch_mode', 'plan_exit'],
    ['other', 'Unknown'],
  ] as const)('is of the kind %s for %s', (kind, toolName) => {
    expect(sent({ toolName })?.kind).toBe(kind)
  })

  it.each([
    ['edit', 'Unknown', ['add', 'delete']],
    ['edit', 'apply_patch', ['edit', 'delete']],
    ['delete', 'apply_patch', ['delete']],
    ['move', 'apply_patch', ['move', 'move']],
    ['execute', 'Bash', ['delete']],
  ] as const)('is of the kind %s if %s changes files: %j', (kind, toolName, kinds) => {
    const changes = kinds.map((each) => ({ path: 'a', kind: each, added: 0, removed: 0 }))
    expect(sent({ toolName }, { changes })?.kind).toBe(kind)
  })

  it.each([
    ['ls', 'Bash', { command: 'ls' }],
    ['git status', 'shell', { command: ['git', 'status'] }],
    ['Bash', 'Bash', {}],
    ['Read src/a.js', 'Read', { file_path: '/srv/demo/src/a.js' }],
    ['Read /etc/hosts', 'Read', { file_path: '/etc/hosts' }],
    ['github: list me', 'mcp__github__list', { query: 'me' }],
    ['Unknown', 'Unknown', 'text'],
    [`${'x'.repeat(199)}…`, 'Bash', { command: 'x'.repeat(300) }],
  ])('has the title %s for %s with %j', (title, toolName, input) => {
    expect(sent({ toolName, input })?.title).toBe(title)
  })

  it('keeps a repeated result of a call with it', () => {
    const call = sent({}, { output: 'one' }, { id: 'c:result:2', output: 'two' })
    expect(call?.rawOutput).toBe('two')
    expect(call?.content).toEqual([block('```console\none\n```'), block('```console\ntwo\n```')])
  })

  it('stands for a result whose call is not known', () => {
    const change: FileChange = { path: 'a', kind: 'edit', added: 1, removed: 1 }
    expect(callsOf([resultBlock({ output: 'ok' })])).toEqual([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'Result of an unknown call',
        kind: 'other',
        status: 'completed',
        rawOutput: 'ok',
        content: [block('```\nok\n```')],
      },
    ])
    expect(callsOf([resultBlock({ isError: true, changes: [change] })])).toMatchObject([
      { kind: 'edit', status: 'failed', locations: [{ path: '/srv/demo/a' }] },
    ])
  })

  it('is sent once for a result that comes twice without a call', () => {
    expect(callsOf([resultBlock({}), resultBlock({ id: 'again' })])).toHaveLength(1)
  })
})

describe('the output of a tool call', () => {
  it('is a block of code with a fence that the output does not have', () => {
    expect(contentOf('a ```` b')).toEqual([block('`````\na ```` b\n`````')])
  })

  it('has the parts of a list: texts, images and other values', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    const parts = [
      'plain',
      { type: 'text', text: 'typed' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      image,
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', url: 'elsewhere' },
      7,
    ]
    expect(contentOf(parts)).toEqual([
      block('```\nplain\n```'),
      block('```\ntyped\n```'),
      ...[image, image, image].map((content) => ({ type: 'content', content })),
      block('```json\n{\n  "type": "image",\n  "url": "elsewhere"\n}\n```'),
      block('```json\n7\n```'),
    ])
  })

  it.each([[''], [null], [[]]])('has no content if it is %j', (output) => {
    const call = sent({}, { output })
    expect(call).not.toHaveProperty('content')
    expect(call?.rawOutput).toEqual(output)
  })
})

describe('the files of a tool call', () => {
  const hunk = { oldStart: 3, oldLines: 2, newStart: 4, newLines: 2, lines: [' a', '-b', '+c'] }
  const edit: FileChange = { path: '/srv/demo/a.js', kind: 'edit', added: 1, removed: 1, hunks: [hunk] }

  it('are diffs in place of the output, one for each hunk', () => {
    const second = { ...hunk, newStart: 20, lines: ['-x'] }
    const call = sent({ toolName: 'Edit' }, { output: 'ok', changes: [{ ...edit, hunks: [hunk, second] }] })
    const diff = { type: 'diff', path: '/srv/demo/a.js', _meta: { kind: 'update' } }
    expect(call?.content).toEqual([
      { ...diff, oldText: 'a\nb', newText: 'a\nc' },
      { ...diff, oldText: 'x', newText: '' },
    ])
    expect(call?.locations).toEqual([{ path: '/srv/demo/a.js', line: 4 }])
  })

  it('are diffs after the output of a call that failed', () => {
    const call = sent({ toolName: 'Edit' }, { output: 'no', isError: true, changes: [edit] })
    expect(call?.content?.map(({ type }) => type)).toEqual(['content', 'diff'])
  })

  it.each([
    ['add', null, 'a\nb\n', ['+a', '+b']],
    ['add', null, 'a', ['+a', '\\ No newline at end of file']],
    ['add', null, '', []],
    ['delete', 'a\n', '', ['-a']],
    ['move', 'a', 'b', ['-a', '+b']],
  ] as const)('of the kind %s have the old text %j and the new text %j', (kind, oldText, newText, lines) => {
    const changes = [{ ...edit, kind, hunks: [{ ...hunk, lines }] }]
    expect(sent({}, { changes })?.content).toEqual([
      { type: 'diff', path: '/srv/demo/a.js', oldText, newText, _meta: { kind } },
    ])
  })

  it('have no diff if the lines are not known', () => {
    const { hunks, ...known } = edit
    const call = sent({}, { output: 'ok', changes: [known] })
    expect(call?.content).toEqual([block('```console\nok\n```')])
    expect(call?.locations).toEqual([{ path: '/srv/demo/a.js' }])
    expect(hunks).toHaveLength(1)
  })

  it.each([
    ['Read', { file_path: '/a' }, [{ path: '/a' }]],
    ['read', { filePath: 'a', offset: 7 }, [{ path: '/srv/demo/a', line: 7 }]],
    ['Read', { path: './a', offset: 0 }, [{ path: '/srv/demo/a' }]],
    ['NotebookEdit', { notebook_path: 'C:\\a' }, [{ path: 'C:\\a' }]],
    ['Grep', { path: '/a' }, undefined],
    ['Read', {}, undefined],
    ['Read', 'a', undefined],
  ])('are the locations of %s with %j', (toolName, input, locations) => {
    expect(sent({ toolName, input })?.locations).toEqual(locations)
  })

  it('keep a relative path if the working folder is not known', () => {
    const calls = callsOf([callBlock({ toolName: 'Read', input: { file_path: 'a' } })], '')
    expect(calls[0]).toMatchObject({ title: 'Read a', locations: [{ path: 'a' }] })
  })
})
