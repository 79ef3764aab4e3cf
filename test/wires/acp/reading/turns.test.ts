import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import {
  call,
  callUpdate,
  fold,
  named,
  prompt,
  request,
  response,
  shown,
  stop,
  text,
  update,
  userText,
} from '../messages.ts'

describe('a turn', () => {
  it.each([
    ['end_turn', 'finished', undefined],
    ['max_tokens', 'finished', undefined],
    ['max_turn_requests', 'failed', 'max_turn_requests'],
    ['refusal', 'failed', 'refusal'],
    ['cancelled', 'interrupted', undefined],
    ['a reason of a later version', 'finished', undefined],
  ])('that stops for %s is %s', (reason, status, error) => {
    const { turn } = fold([prompt(1, 'Go.'), text('m', 'Yes.'), stop(1, reason)]).state
    expect(turn.status).toBe(status)
    expect(turn.error).toBe(error)
  })

  // Copilot ends such a turn like any other, and writes the error as a text of the model.
  it('has failed if the last words of Copilot are an error, also where a turn before had the same', () => {
    const error = 'Error: 429 Too many requests.'
    const turn = (id: number) => [prompt(id, `Go ${id}.`), text(undefined, error), stop(id)]
    const messages = [...named('Copilot'), ...turn(1), ...turn(2)]
    const failed = { status: 'failed', error }
    expect(fold(messages.slice(0, 5)).state.turn).toMatchObject(failed)
    expect(fold(messages).state.turn).toMatchObject(failed)
    const { state } = acpSource.read(acpSource.open(), messages.slice(0, 4)).session
    const joined = acpSource.read(acpSource.open(state), [...messages.slice(0, 2), stop(1)]).session.state
    expect(joined.turn).toMatchObject(failed)
    const goesOn = [...messages.slice(0, 4), text(undefined, 'Here it is.'), stop(1)]
    expect(fold(goesOn).state.turn.status).toBe('finished')
  })

  // The error of an agent is a text of the same flat stream. The answer after it was put into the text before it, so the error was the last block.
  it.each([1, 2])('of Copilot goes on after the error of an agent, %i times', (times) => {
    const failing = [text(undefined, 'An agent looks.'), text(undefined, 'Error: 400 No.')]
    const agents = Array.from({ length: times }, () => failing).flat()
    const messages = [...named('Copilot'), prompt(1, 'Go.'), ...agents, text(undefined, 'Done.'), stop(1)]
    const { blocks, turn } = fold(messages).state
    expect(blocks.at(-1)).toMatchObject({ type: 'assistant_text', content: 'Done.' })
    expect(turn).toMatchObject({ status: 'finished' })
  })

  it('does not start again with updates after its response', () => {
    const { state, issues } = fold([
      prompt(1, 'Go.'),
      stop(1),
      text('m', 'La'),
      text('m', 'te.'),
      call('c'),
      callUpdate('c', { status: 'completed', rawOutput: 'ok' }),
    ])
    expect(state.turn.status).toBe('finished')
    expect(shown(state).slice(1, 2)).toEqual([['assistant_text', 'complete', 'Late.']])
    expect(issues).toEqual([])
  })

  it('fails with the words of an error', () => {
    const error = { code: -32000, message: 'Internal error', data: { details: 'no model' } }
    const { state } = fold([prompt(1, 'Go.'), { jsonrpc: '2.0', id: 1, error }])
    expect(state.turn).toMatchObject({ status: 'failed', error: 'Internal error: no model' })
    expect(state.blocks.at(-1)).toMatchObject({ type: 'error', code: '-32000' })
    const plain = fold([prompt(1, 'Go.'), { jsonrpc: '2.0', id: 1, error: { data: 'why' } }])
    expect(plain.state.turn.error).toBe('why')
  })

  it('goes on if a request of the agent with the id of its prompt fails', () => {
    const failed = { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'No.' } }
    const read = [prompt(1, 'Go.'), request(1, 'fs/read_text_file', { path: '/srv/a' }), failed]
    expect(fold(read, { isOpen: true }).state.turn.status).toBe('running')
    expect(fold([...read, stop(1)]).state.turn.status).toBe('finished')
    const open = [...read.slice(0, 2), stop(1)]
    expect(fold(open).state.turn.status).toBe('finished')
  })

  it('goes on with a prompt that waits for it', () => {
    const messages = [prompt(1, 'One.'), prompt(2, 'Two.'), stop(1)]
    expect(fold(messages, { isOpen: true }).state.turn.status).toBe('running')
    expect(fold([...messages, stop(2)]).state.turn.status).toBe('finished')
  })

  it('without the client’s prompts ends with a text, and not with a call', () => {
    expect(fold([userText('u', 'Go.'), text('m', 'Yes.')]).ending).toBe('finished')
    expect(fold([text('m', 'Yes.'), call('c')]).ending).toBe('interrupted')
  })
})

describe('a prompt', () => {
  it('with the words of an earlier one is a new one if its turn is new', () => {
    const { state } = fold([
      prompt(1, 'Go on.'),
      text('m1', 'A.'),
      stop(1),
      prompt(2, 'Go on.'),
      text('m2', 'B.'),
      stop(2),
    ])
    expect(shown(state).map((block) => Object(block)[2])).toEqual(['Go on.', 'A.', 'Go on.', 'B.'])
  })

  it('that comes again with its request is one prompt', () => {
    const messages = [
      prompt(1, 'Go.'),
      prompt(1, 'Go.'),
      text('m', 'Yes.'),
      stop(1),
      prompt(1, 'Go.'),
      stop(1),
    ]
    const { state } = fold(messages)
    expect(state.blocks).toHaveLength(2)
    expect(state.turn.status).toBe('finished')
  })

  it('of another connection may have the same request', () => {
    const start = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } }
    const { state } = fold([prompt(1, 'Go.'), stop(1), start, prompt(1, 'Go.'), text('m', 'Yes.'), stop(1)])
    expect(state.blocks).toHaveLength(3)
  })

  it('has its images and files', () => {
    const parts = [
      { type: 'text', text: 'Look:' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'image', data: '', mimeType: 'image/png', uri: 'file:///a.png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///b.md', name: 'b.md' },
      { type: 'resource', resource: { uri: 'file:///c.md', text: '# C' } },
      { type: 'resource', resource: { uri: 'file:///d.bin', blob: 'aGk=' } },
      { type: 'hologram' },
    ]
    const { state } = fold([request(1, 'session/prompt', { prompt: parts }), stop(1)])
    const [block] = state.blocks
    expect(block && 'content' in block && block.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'aGk=' } },
      { type: 'image', source: { type: 'url', url: 'file:///a.png', mediaType: 'image/png' } },
      { type: 'file', source: { type: 'base64', mediaType: 'audio/wav', data: 'aGk=' } },
      { type: 'file', source: { type: 'url', url: 'file:///b.md' }, name: 'b.md' },
      { type: 'text', text: '# C' },
      {
        type: 'file',
        source: { type: 'base64', mediaType: 'application/octet-stream', data: 'aGk=' },
        name: 'file:///d.bin',
      },
    ])
  })

  it('that is a command is no prompt, and a path is one', () => {
    const [command, path] = ['/compact now', '/srv/demo is wrong'].map(
      (words) => fold([prompt(1, words), stop(1)]).state.blocks[0],
    )
    expect(command).toMatchObject({ origin: 'command' })
    expect(path).not.toHaveProperty('origin')
  })

  it('of a replay may come in several chunks of one message', () => {
    const image = update('user_message_chunk', {
      messageId: 'u',
      content: { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    })
    const { state } = fold([userText('u', 'Look:'), image, text('m', 'I see.')])
    expect(state.blocks.map(({ type }) => type)).toEqual(['user_message', 'assistant_text'])
  })
})

describe('a load', () => {
  const load = request(9, 'session/load', { cwd: '/srv/demo' })
  const live = [
    prompt(1, 'Go.'),
    text('m', 'Yes.'),
    call('c'),
    callUpdate('c', { status: 'completed' }),
    stop(1),
  ]
  const replay = [
    load,
    userText('u', 'Go.'),
    text('m', 'Yes.'),
    call('c', { status: 'completed' }),
    response(9, {}),
  ]

  it('adds nothing that is known', () => {
    const [once, twice] = [fold(live).state, fold([...live, ...replay]).state]
    expect(twice.blocks).toEqual(once.blocks)
    expect(twice.turn.status).toBe('finished')
  })

  it('with a call that has no result was interrupted', () => {
    const { state } = fold([load, userText('u', 'Go.'), call('c'), response(9, {})])
    expect(state.turn.status).toBe('interrupted')
  })

  it('shows commands, notifications and interruptions of Claude Code as what they are', () => {
    const { state } = fold([
      ...named('@agentclientprotocol/claude-agent-acp'),
      load,
      userText('u1', '<command-name>/model</command-name>'),
      userText('u2', 'Go.'),
      text('m', 'Ye'),
      userText('u3', '[Request interrupted by user]'),
      response(9, {}),
    ])
    expect(state.blocks[0]).toMatchObject({ type: 'user_message', origin: 'command' })
    expect(state.blocks.at(-1)).toMatchObject({ type: 'system', subtype: 'interruption' })
    expect(state.turn.status).toBe('interrupted')
  })
})

describe('a resumed state', () => {
  const resumed = (before: readonly unknown[], after: readonly unknown[]) => {
    const { state } = fold(before, { isOpen: true })
    return acpSource.read(acpSource.open(state), after).session.state
  }

  const connection = [
    request(1, 'initialize', {}),
    response(1, { protocolVersion: 1, agentInfo: { name: 'agent' } }),
    request(2, 'session/new', { cwd: '/srv' }),
    response(2, { sessionId: 's', modes: {} }),
  ]

  it('goes on with the output of a command, and with its agents', () => {
    const data = (words: string) => ({ _meta: { terminal_output_delta: { data: words } } })
    const state = resumed(
      [
        prompt(1, 'Go.'),
        call('c', { kind: 'execute', rawInput: { command: 'ls' } }),
        callUpdate('c', data('a\n')),
        call('done', { status: 'completed', rawOutput: 'x' }),
        update('subagent_update', { sessionId: 'k', description: 'Look at it.' }),
        call('t', { title: 'task', kind: 'think', rawInput: {} }),
      ],
      [callUpdate('c', { ...data('b\n'), status: 'completed' }), text('k1', 'Child.', 'k')],
    )
    expect(state.blocks.find(({ id }) => id === 'c:result')).toMatchObject({ output: 'a\nb\n' })
    expect(shown(state, 'k')).toEqual([['assistant_text', 'pending', 'Child.']])
  })

  const begun = [...connection, prompt(4, 'Go.'), text('m', 'One long answer')]
  const last = (state: SessionConversationState) => [state.turn.status, shown(state).at(-1)]

  it('ends its turn with an error, unless the error answers a later request', () => {
    const mode = [
      request(7, 'session/set_mode', { sessionId: 's' }),
      { jsonrpc: '2.0', id: 7, error: { message: 'No.' } },
    ]
    expect(resumed(begun, mode).turn.status).toBe('running')
    expect(resumed(begun, [...mode, { jsonrpc: '2.0', id: 4, error: { message: 'No.' } }]).turn.status).toBe(
      'failed',
    )
  })

  it('goes on if a request of the agent fails', () => {
    const failed = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32002, message: 'No.' } })
    const read = [request(7, 'fs/read_text_file', { path: '/srv/a' }), failed(7)]
    expect(resumed(begun, read).turn.status).toBe('running')
    // Both sides count their requests from 0.
    expect(resumed(begun, [...read, failed(7)]).turn.status).toBe('failed')
    const open = [
      ...begun,
      call('c'),
      request(7, 'session/request_permission', { toolCall: { toolCallId: 'c' } }),
    ]
    const state = resumed(open, [failed(7)])
    expect(state.turn.status).toBe('running')
    expect(state.blocks.find(({ type }) => type === 'request')).toMatchObject({ status: 'complete' })
  })

  it('goes on if another session ends its turn', () => {
    const other = [
      request(8, 'session/prompt', { sessionId: 'other', prompt: [] }),
      response(8, { stopReason: 'end_turn' }),
    ]
    expect(resumed(begun, other).turn.status).toBe('running')
  })

  it('adds nothing if its turn comes again from the prompt', () => {
    const state = resumed(begun, [
      ...begun.slice(-2),
      text('m', ' ends.'),
      response(4, { stopReason: 'end_turn' }),
    ])
    expect(shown(state)).toHaveLength(2)
    expect(last(state)).toEqual(['finished', ['assistant_text', 'complete', 'One long answer ends.']])
  })

  it('goes on with the open text after the response to an earlier prompt has come again', () => {
    const earlier = response(3, { stopReason: 'cancelled' })
    const state = resumed(begun, [earlier, ...begun.slice(-2), text('m', ' ends.')])
    expect(shown(state)).toHaveLength(2)
    expect(last(state)).toEqual(['running', ['assistant_text', 'pending', 'One long answer ends.']])
  })

  it('drops chunks that turn out to be the end of the open text, and those of an ended block', () => {
    const work = [
      ...begun,
      call('c', { kind: 'read', rawInput: {}, status: 'completed', rawOutput: 'x' }),
      text('n', 'Another answer'),
    ]
    const again = [text('n', 'her answer'), text('n', '!')]
    expect(last(resumed(work, again))).toEqual(['running', ['assistant_text', 'pending', 'Another answer!']])
    const whole = [
      text('m', 'One long answer'),
      callUpdate('c', { status: 'completed' }),
      text('n', 'Another answer'),
      text('n', '?'),
    ]
    expect(last(resumed(work, whole))).toEqual(['running', ['assistant_text', 'pending', 'Another answer?']])
    expect(
      shown(resumed(work.slice(0, -1), [text('m', 'long answer'), text('m', 'New words')])).at(-1),
    ).toEqual(['assistant_text', 'pending', 'New words'])
  })

  it('ends a replay whose request it does not know', () => {
    const load = [
      ...connection.slice(0, 2),
      request(3, 'session/load', { sessionId: 's', cwd: '/srv' }),
      userText('u', 'Go.'),
    ]
    const state = resumed([...load, text('m', 'Yes.')], [response(3, { modes: {} })])
    expect(state.turn.status).toBe('finished')
  })
})
