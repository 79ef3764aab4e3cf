import { describe, expect, it } from 'vitest'
import { copilotSource } from '../../../src/entries/copilot.ts'
import { branches, sessionStatus } from '../../../src/entries/index.ts'
import { checkSource } from '../../../src/entries/testing.ts'

let count = 0
const event = (type: string, data: object, more: object = {}) => {
  count += 1
  const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 10).toISOString()
  return { type, data, id: `e${count}`, timestamp, parentId: null, ...more }
}
const prompt = (content: string, more: object = {}) => event('user.message', { content, ...more })
const reply = (messageId: string, content: string, toolRequests: readonly object[] = [], more: object = {}) =>
  event('assistant.message', { messageId, content, toolRequests }, more)
const delta = (messageId: string, deltaContent: string) =>
  event('assistant.message_delta', { messageId, deltaContent }, { ephemeral: true })
const inSession = (sessionId: string, each: object) => ({
  jsonrpc: '2.0',
  method: 'session.event',
  params: { sessionId, event: each },
})
const stateOf = (messages: readonly unknown[]) =>
  copilotSource.read(copilotSource.open(), messages).session.state
const textsOf = (messages: readonly unknown[]) =>
  stateOf(messages).blocks.map((block) => ('content' in block ? block.content : block.type))

describe('a reply that streams', () => {
  it('takes each delta once, although a reconnect sends some again', () => {
    const [go, first, second] = [prompt('Go.'), delta('m', 'One '), delta('m', 'two.')]
    expect(textsOf([go, first, second, first, second])).toEqual(['Go.', 'One two.'])
  })

  it('loses what has streamed when the program asks the model again', () => {
    const retry = event('assistant.turn_retry', { reason: 'streaming_error' }, { ephemeral: true })
    const messages = [prompt('Go.'), delta('m', 'Torn'), retry, delta('n', 'Wh'), reply('n', 'Whole.')]
    expect(textsOf(messages)).toEqual(['Go.', 'system', 'Whole.'])
  })

  it('is one reply, although an earlier version gives its deltas another id', () => {
    const messages = [
      prompt('Go.'),
      delta('d', 'One.'),
      reply('m', 'One.'),
      delta('d', 'Two.'),
      reply('n', 'Two.'),
    ]
    expect(textsOf(messages)).toEqual(['Go.', 'One.', 'Two.'])
  })
})

// The id of the thinking was made from that of the agent's block, and the reducer takes such an id for another agent's.
it('has the thinking that follows the report of an agent', () => {
  const call = { toolCallId: 'c', name: 'task', arguments: { prompt: 'Look.' } }
  const report = event('tool.execution_complete', {
    toolCallId: 'c',
    success: true,
    result: { content: 'Seen.' },
  })
  const thought = event('assistant.message', { messageId: 'n', reasoningText: 'Hm.', content: 'Done.' })
  const { blocks } = stateOf([prompt('Go.'), reply('m', '', [call]), report, thought])
  expect(blocks.map(({ type }) => type)).toEqual(['user_message', 'subagent', 'thinking', 'assistant_text'])
})

// The call of an agent may have its result before the deltas and the whole text of the agent's last reply (1.0.89).
describe('a reply of an agent whose call has its result', () => {
  const call = { toolCallId: 'c', name: 'task', arguments: { prompt: 'Look.' } }
  const ofAgent = { agentId: 'a' }
  const started = [
    prompt('Go.'),
    reply('m', '', [call]),
    event('subagent.started', { toolCallId: 'c', agentName: 'task' }, ofAgent),
  ]
  const part = (text: string) => ({ ...delta('n', text), ...ofAgent })
  const report = event('tool.execution_complete', {
    toolCallId: 'c',
    success: true,
    result: { content: 'Seen.' },
  })
  const messages = [...started, part('Se'), report, part('en.'), reply('n', 'Seen.', [], ofAgent)]
  const agentIn = (all: readonly unknown[]) => stateOf(all).subagents[0]

  it('is whole', () => {
    expect(agentIn(messages)).toMatchObject({
      status: 'success',
      output: 'Seen.',
      blocks: [{ content: 'Seen.' }],
    })
    expect(agentIn([...messages, ...messages.slice(-3)])).toEqual(agentIn(messages))
  })

  it('keeps its end if its beginning comes again', () => {
    const again = [...messages, reply('n', 'Se', [], ofAgent), reply('n', 'Other.', [], ofAgent)]
    expect(agentIn(again)).toEqual(agentIn(messages))
  })
})

it('shows that a request is made again, once', () => {
  const failure = (statusCode: number) =>
    event('model.call_failure', { statusCode, errorMessage: '{"message":"slow down"}' }, { ephemeral: true })
  const busy = failure(429)
  const { blocks } = stateOf([prompt('Go.'), busy, busy, failure(400), reply('m', 'Done.')])
  expect(
    blocks.map((block) => (block.type === 'system' ? [block.subtype, block.message] : block.type)),
  ).toEqual(['user_message', ['retry', 'slow down'], 'assistant_text'])
})

describe('a connection', () => {
  it('shows its first session, and goes on with a fork of it', () => {
    const fork = event('session.info', {
      infoType: 'fork',
      message: `Forked into "x" (${'f'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}).`,
    })
    const forkId = `${'f'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`
    const messages = [
      inSession('s', prompt('One.')),
      inSession('other', prompt('Elsewhere.')),
      inSession('s', fork),
      inSession(forkId, prompt('Two.')),
    ]
    expect(textsOf(messages)).toEqual(['One.', 'Two.'])
    expect(stateOf(messages).session.id).toBe(forkId)
  })

  it('keeps the branch of a rewind', () => {
    const west = prompt('West.')
    const messages = [
      prompt('Go.'),
      reply('a', 'Where?'),
      west,
      reply('b', 'Wrong.'),
      event('session.snapshot_rewind', { upToEventId: west.id }),
    ]
    expect(textsOf(messages)).toEqual(['Go.', 'Where?', 'system'])
    expect(branches(stateOf(messages))[0]?.blocks).toHaveLength(2)
  })
})

describe('a turn', () => {
  const call = { toolCallId: 'c', name: 'bash', arguments: { command: 'ls' } }

  it('ends with a reply without calls, and not between two replies', () => {
    const messages = [prompt('Go.'), reply('a', '', [call]), event('assistant.turn_end', {})]
    expect(stateOf(messages).turn.status).toBe('running')
    const end = [reply('b', 'Done.'), event('assistant.turn_end', {})]
    expect(stateOf([...messages, ...end]).turn.status).toBe('finished')
  })

  it('was interrupted if the next prompt finds the program idle', () => {
    const messages = [prompt('Go.'), reply('a', '', [call]), prompt('Again.', { delivery: 'idle' })]
    const statuses = messages.map((_, at) => stateOf(messages.slice(0, at + 1)).turn)
    expect(statuses[2]).toMatchObject({ status: 'running', startedAt: messages[2]?.timestamp })
  })

  it('waits in a file that ends with an open request', () => {
    const request = event('permission.requested', {
      requestId: 'r',
      permissionRequest: { kind: 'shell', toolCallId: 'c', fullCommandText: 'ls' },
    })
    const { ending, state } = checkSource(copilotSource, [prompt('Go.'), reply('a', '', [call]), request])
    expect({ ending, status: sessionStatus(state) }).toEqual({ ending: 'open', status: 'waiting' })
  })
})

it('reports events that it does not know, and none that Copilot sends beside its content', () => {
  const { issues } = copilotSource.read(copilotSource.open(), [
    prompt('Go.'),
    event('session.new_thing', {}),
    event('pet.fed', {}, { ephemeral: true }),
    event('pet.fed', {}),
    { jsonrpc: '2.0', id: 1, result: {} },
  ])
  expect(issues).toEqual([{ code: 'unknown-message', count: 1, messageType: 'pet.fed', index: 3 }])
})

describe('an agent whose start a reader has missed', () => {
  const agentId = 'a'
  const ofAgent = { agentId }
  const end = event('subagent.completed', { toolCallId: 'call_1' }, ofAgent)

  it('is one agent, whose end names the call', () => {
    const task = event('user.message', { content: 'Look.', source: 'agent-s' }, ofAgent)
    const { subagents } = stateOf([task, reply('m', 'Seen.', [], ofAgent), end])
    expect(subagents).toMatchObject([{ toolUseId: 'call_1', agentId, prompt: 'Look.', output: 'Seen.' }])
  })

  it('takes the result of its call from the tools', () => {
    const error = { message: 'The call was cut.' }
    const result = event('tool.execution_complete', { toolCallId: 'call_1', success: false, error })
    const { blocks, subagents } = stateOf([reply('m', 'On guard.', [], ofAgent), result, end])
    expect(blocks.map(({ type }) => type)).toEqual(['subagent'])
    expect(subagents).toMatchObject([{ toolUseId: 'call_1', agentId, parentConversationId: 'main' }])
  })

  it('has no prompt if the first message that the reader sees is a later one', () => {
    const messages = [reply('m', 'One.', [], ofAgent), event('user.message', { content: 'Go on.' }, ofAgent)]
    expect(stateOf(messages).subagents[0]?.prompt).toBeUndefined()
  })
})

it('has the image of a result, which the file has under an id', () => {
  const asset = event('session.binary_asset', { assetId: 'x', mimeType: 'image/png', data: 'AA' })
  const outputOf = (...binaryResultsForLlm: readonly object[]) => {
    const result = { content: 'Viewed.', binaryResultsForLlm }
    const end = event('tool.execution_complete', { toolCallId: 'c', success: true, result })
    const call = { toolCallId: 'c', name: 'view', arguments: { path: '/a.png' } }
    const block = stateOf([prompt('Go.'), reply('m', '', [call]), asset, end]).blocks.at(-1)
    return block?.type === 'tool_result' ? block.output : undefined
  }
  const [text, image] = [
    { type: 'text', text: 'Viewed.' },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } },
  ]
  expect(outputOf({ type: 'image', mimeType: 'image/png', data: 'AA' })).toEqual([text, image])
  expect(outputOf({ type: 'image', assetId: 'x', mimeType: 'image/png', byteLength: 1 })).toEqual([
    text,
    image,
  ])
  expect(outputOf({ type: 'image', assetId: 'y' })).toEqual([text, { type: 'image', assetId: 'y' }])
})

describe('a message of the person', () => {
  const contentOf = (attachments: readonly object[], before: readonly unknown[] = []) => {
    const [block] = stateOf([...before, prompt('See.', { attachments })]).blocks
    return block?.type === 'user_message' ? block.content : undefined
  }

  it('has images, files, links, and what the file has under an id', () => {
    const asset = event('session.binary_asset', { assetId: 'x', mimeType: 'image/png', data: 'AA' })
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } }
    const link = { type: 'url', url: '/a.md' }
    expect(contentOf([{ assetId: 'x' }], [asset])).toEqual([{ type: 'text', text: 'See.' }, image])
    expect(contentOf([{ data: 'BB', mimeType: 'text/plain', displayName: 'b.txt' }])).toMatchObject([
      {},
      { type: 'file', name: 'b.txt', source: { type: 'base64', mediaType: 'text/plain', data: 'BB' } },
    ])
    expect(contentOf([{ path: '/a.md' }, { filePath: '/a.md' }, { url: '/a.md' }])).toMatchObject([
      {},
      ...[1, 2, 3].map(() => ({ type: 'file', source: link })),
    ])
    expect(contentOf([{ url: '/a.png', mimeType: 'image/png' }])).toMatchObject([{}, { type: 'image' }])
    expect(contentOf([{ type: 'selection' }])).toBe('See.')
  })

  it('that steers a turn starts none', () => {
    const { turn } = stateOf([prompt('Go.'), reply('a', 'Done.'), prompt('Left.', { delivery: 'steering' })])
    expect(turn.status).toBe('running')
  })

  it('that steers goes on with a turn that was cut', () => {
    const before = copilotSource.read(copilotSource.open(), [
      prompt('Go.'),
      reply('a', '', [{ toolCallId: 'c', name: 'bash' }]),
    ])
    const cut = copilotSource.end(before.session).session
    const { state } = copilotSource.read(cut, [prompt('Left.', { delivery: 'steering' })]).session
    expect(state.blocks.map(({ status }) => status)).toEqual(['complete', 'pending', 'complete'])
  })
})

describe('an answer to a question', () => {
  const question = {
    toolCallId: 'q',
    name: 'ask_user',
    arguments: { question: 'Which?', choices: ['a', 'b'] },
  }
  const answered = (answer?: string) => event('user_input.completed', { requestId: 'r', answer })

  it('finds the question in its call, if a reader has missed it', () => {
    const request = stateOf([prompt('Go.'), reply('a', '', [question]), answered('b')]).blocks.at(-1)
    expect(request).toMatchObject({ type: 'request', title: 'Which?', toolUseId: 'q', answer: [['b']] })
  })

  it('is nothing without a call, and ends the request if the program took it back', () => {
    expect(textsOf([prompt('Go.'), answered('b')])).toEqual(['Go.'])
    const asked = event('user_input.requested', { requestId: 'r', question: 'Which?', choices: ['a'] })
    const request = stateOf([prompt('Go.'), reply('a', '', [question]), asked, answered()]).blocks.at(-1)
    expect(request).toMatchObject({ type: 'request', status: 'complete' })
    expect(request).not.toHaveProperty('answer')
  })
})

describe('a failure', () => {
  it('before the first turn is a failed turn', () => {
    const error = event('session.error', { message: 'No login.', errorType: 'auth' })
    expect(stateOf([error])).toMatchObject({
      turn: { status: 'failed', error: 'No login.' },
      blocks: [{ type: 'error', message: 'No login.', code: 'auth' }],
    })
  })

  it('of a request shows its words, or that it is made again', () => {
    const messageOf = (errorMessage?: string) => {
      const failure = event('model.call_failure', { statusCode: 503, errorMessage })
      const block = stateOf([prompt('Go.'), failure]).blocks.at(-1)
      return block?.type === 'system' ? block.message : undefined
    }
    expect([messageOf('busy'), messageOf()]).toEqual(['busy', 'retry'])
  })

  it('of a compaction is no compaction', () => {
    const failed = event('session.compaction_complete', { success: false, summaryContent: 'x' })
    expect(textsOf([prompt('Go.'), failed])).toEqual(['Go.'])
  })
})
