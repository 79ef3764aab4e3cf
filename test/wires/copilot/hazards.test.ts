import { describe, expect, it } from 'vitest'
import { branches, sessionStatus } from '../../../src/index.ts'
import { checkSource } from '../../../src/testing/index.ts'
import { copilotSource } from '../../../src/wires/copilot/index.ts'

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
