import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../../src/wires/transcript.ts'
import { ofType } from '../../recordings.ts'
import {
  answer,
  completed,
  failed,
  type Message,
  main,
  pending,
  prompt,
  readOpenEvents,
  running,
} from '../messages.ts'
import { replay } from '../recordings.ts'
import { readBoth, toExports } from '../stored.ts'

const started = [...prompt, main.assistantStart('msg_10')]
const tool = (state: Message, fields: Message = {}) => main.tool('msg_10', 'prt_10', state, fields)
const done = [main.assistantEnd('msg_10', { finish: 'tool-calls' }), ...answer]

describe('a call', () => {
  it('is pending from its first update to its result', () => {
    for (const states of [[pending], [pending, running()], [running(), running({ metadata: {} })]]) {
      const { state } = readOpenEvents(...started, ...states.map((each) => tool(each)))
      expect(state.blocks.slice(1)).toMatchObject([{ type: 'tool_use', status: 'pending' }])
    }
  })

  it('has OpenCode’s names and ids, and its input as soon as that is known', () => {
    const { state } = readOpenEvents(
      ...started,
      tool(pending),
      tool(running({ input: { command: 'ls', deep: [1] } })),
    )
    expect(state.blocks[1]).toEqual({
      type: 'tool_use',
      id: 'call-prt_10',
      conversationId: 'main',
      status: 'pending',
      toolName: 'bash',
      toolUseId: 'call-prt_10',
      messageId: 'msg_10',
      input: { command: 'ls', deep: [1] },
      timestamp: '1970-01-01T00:00:02.300Z',
    })
  })

  it('shows partial output, and then all of it', () => {
    const growing = ['', 'one\n', 'one\ntwo\n'].map((output) => tool(running({ metadata: { output } })))
    const { state } = readOpenEvents(...started, tool(pending), ...growing)
    expect(ofType(state, 'tool_result')).toMatchObject([
      { id: 'call-prt_10:result', status: 'pending', output: 'one\ntwo\n', isError: false },
    ])
    const last = tool(completed('one\ntwo\nthree\n', { metadata: { output: 'one\n', exit: 3 } }))
    const finished = readBoth(...started, tool(pending), ...growing, last, ...done)
    expect(ofType(finished.state, 'tool_result')).toEqual([
      {
        type: 'tool_result',
        id: 'call-prt_10:result',
        conversationId: 'main',
        status: 'complete',
        toolUseId: 'call-prt_10',
        output: 'one\ntwo\nthree\n',
        isError: false,
        exitCode: 3,
        durationMs: 100,
        timestamp: '1970-01-01T00:00:02.400Z',
      },
    ])
    expect(ofType(finished.state, 'tool_use')).toMatchObject([{ status: 'complete' }])
  })

  it('shows the error of a failed tool', () => {
    const { state } = readBoth(...started, tool(pending), tool(failed('File not found')), ...done)
    expect(state.blocks.slice(1, 3)).toMatchObject([
      { type: 'tool_use', status: 'error' },
      { type: 'tool_result', status: 'error', isError: true, output: 'File not found', durationMs: 100 },
    ])
  })

  it('is an error if it is impossible, although OpenCode marks it as completed', () => {
    const { state } = readBoth(...started, tool(completed('no such tool'), { tool: 'invalid' }), ...done)
    expect(state.blocks.slice(1, 3)).toMatchObject([
      { type: 'tool_use', toolName: 'invalid', status: 'error' },
      { type: 'tool_result', status: 'error', isError: true, output: 'no such tool' },
    ])
  })

  it('is a success if the command exits with a code other than zero', () => {
    const { state } = readBoth(...started, tool(completed('oops', { metadata: { exit: 3 } })), ...done)
    expect(ofType(state, 'tool_result')).toMatchObject([{ isError: false, status: 'complete' }])
  })

  it('is a success after an abort if OpenCode marks it as completed', () => {
    const output = 'one\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>'
    const { state } = readBoth(...started, tool(completed(output)), ...done)
    expect(ofType(state, 'tool_result')).toMatchObject([{ isError: false, output }])
  })

  it('shows the attached files beside the output', () => {
    const image = { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' }
    const { state } = readBoth(...started, tool(completed('Read.', { attachments: [image] })), ...done)
    const shown = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } }
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: [{ type: 'text', text: 'Read.' }, shown] }])
    const none = readBoth(...started, tool(completed('Read.', { attachments: [] })), ...done)
    expect(ofType(none.state, 'tool_result')).toMatchObject([{ output: 'Read.' }])
  })

  it('has an empty result if the tool has no output', () => {
    const { state } = readBoth(...started, tool(completed(undefined)), ...done)
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: '', status: 'complete' }])
  })

  it('takes the id of its part if it has none', () => {
    const { state } = readBoth(...started, tool(completed('x'), { callID: undefined }), ...done)
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: 'prt_10' }])
    expect(ofType(state, 'tool_result')).toMatchObject([{ toolUseId: 'prt_10', id: 'prt_10:result' }])
  })

  it('ends with the input if OpenCode was killed before the result', () => {
    const { state, ending } = readBoth(...started, tool(pending), tool(running()))
    expect(state.blocks.at(-1)).toMatchObject({ type: 'tool_use', status: 'complete' })
    expect(ending).toBe('interrupted')
  })

  it.each(['__proto__', 'constructor', 'toString'])('may have the id %s', (callID) => {
    const { state } = readBoth(...started, tool(completed('x'), { callID }), ...done)
    expect(ofType(state, 'tool_use')).toMatchObject([{ toolUseId: callID, status: 'complete' }])
    expect(ofType(state, 'tool_result')).toMatchObject([{ toolUseId: callID, output: 'x' }])
  })

  // OpenCode marks old results when it frees context, and sends their parts again.
  it('stays unchanged when its result arrives again much later', () => {
    const late = tool(completed('x', { time: { start: 2300, end: 2400, compacted: 9000 } }))
    const { state } = readBoth(...started, tool(completed('x')), ...done, late)
    expect(state).toEqual(readBoth(...started, tool(completed('x')), ...done).state)
  })
})

describe('parallel calls', () => {
  it('have their own results, in the order of arrival', () => {
    const second = (state: Message) => main.tool('msg_10', 'prt_11', state)
    const events = [
      ...started,
      tool(pending),
      second(pending),
      tool(running()),
      second(running()),
      second(completed('fast', { time: { start: 2300, end: 2310 } })),
      tool(completed('slow')),
      ...done,
    ]
    const stored = replay(JSON.stringify(toExports(events)))
    for (const { state } of [readBoth(...events), stored]) {
      expect(ofType(state, 'tool_use').map(({ id }) => id)).toEqual(['call-prt_10', 'call-prt_11'])
      expect(ofType(state, 'tool_result').map(({ output }) => output)).toEqual(['fast', 'slow'])
    }
  })
})

// Recorded with OpenCode 1.18: the person typed `!` in the terminal, and its calls looked like the model's.
it('a command of the person in shell mode was requested by the person', () => {
  const folder = new URL('../../../../fixtures/interactive/opencode-tui/11-shell-mode/', import.meta.url)
  const exported = new URL('export/ses_deb314188ffe33lmrKQlWdwn2L.json', folder)
  for (const file of [exported, new URL('stream.ndjson', folder)]) {
    const { blocks } = parseTranscript('opencode', readFileSync(file, 'utf8'))
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    expect(calls.map(({ toolName, requestedBy }) => [toolName, requestedBy])).toEqual([
      ['bash', 'person'],
      ['bash', 'person'],
    ])
  }
})
