import { describe, expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import {
  assistantMessage,
  blockDelta,
  blockStart,
  init,
  type Message,
  messageStart,
  modelSays,
  readFiles,
  readStream,
  streamEvent,
  system,
  text,
  userMessage,
} from '../messages.ts'

const known = modelSays('m1', 'Known.')

describe('a message of an unknown type', () => {
  it.each<[string, Message]>([
    ['tea_break', { type: 'tea_break', content: 'x' }],
    ['untyped', { kind: 'tea_break' }],
    ['untyped', { type: 7 }],
    ['system/tea_break', system('tea_break')],
    ['system/untyped', { type: 'system' }],
    ['stream_event/tea_break', streamEvent('m1', { type: 'tea_break' })],
    ['stream_event/untyped', { type: 'stream_event' }],
    ['attachment/tea_break', { type: 'attachment', attachment: { type: 'tea_break' } }],
    ['attachment/untyped', { type: 'attachment' }],
    ['queue-operation/tea_break', { type: 'queue-operation', operation: 'tea_break', content: 'x' }],
  ])('is counted as %s, from its first line on, and the rest is read', (messageType, message) => {
    const { state, issues, reducerIssues } = readStream(known, message, message, modelSays('m2', 'Read.'))
    expect(issues).toEqual([{ code: 'unknown-message', count: 2, messageType, line: 2 }])
    expect(textsOf(state)).toEqual(['Known.', 'Read.'])
    expect(reducerIssues).toEqual([])
  })

  it('is counted if it is no object', () => {
    const { state, issues } = readLines('null', '[]', '"text"', JSON.stringify(known))
    expect(issues).toMatchObject([{ code: 'unknown-message', count: 3, line: 1 }])
    expect(textsOf(state)).toEqual(['Known.'])
  })
})

describe('a content block of an unknown type', () => {
  const strange = { type: 'hologram', data: 'x' }

  it('is counted in a model message, and the other blocks are read', () => {
    const { state, issues } = readStream(
      assistantMessage('m1', strange),
      known,
      assistantMessage('m1', strange),
    )
    expect(issues).toEqual([{ code: 'unknown-block', count: 2, messageType: 'hologram', line: 1 }])
    expect(textsOf(state)).toEqual(['Known.'])
  })

  it('counts as a block in the indexes, streamed or not', () => {
    const plain = readStream(assistantMessage('m1', strange), known).state.blocks
    const partial = readStream(
      messageStart('m1'),
      blockStart('m1', 0, strange),
      assistantMessage('m1', strange),
      blockStart('m1', 1, text('')),
      known,
    ).state.blocks
    expect(plain.map(({ id }) => id)).toEqual(partial.map(({ id }) => id))
  })

  it('is counted in a user message', () => {
    const { state, issues } = readStream(userMessage([strange]), known)
    expect(issues).toEqual([{ code: 'unknown-block', count: 1, messageType: 'user/hologram', line: 1 }])
    expect(textsOf(state)).toEqual(['Known.'])
  })

  it('is counted as a delta, and the text is read', () => {
    const { state, issues } = readStream(
      messageStart('m1'),
      blockStart('m1', 0, text('')),
      blockDelta('m1', 0, { type: 'hologram_delta', x: 1 }),
      blockDelta('m1', 0, { type: 'text_delta', text: 'Read.' }),
    )
    expect(issues).toEqual([
      { code: 'unknown-block', count: 1, messageType: 'delta/hologram_delta', line: 3 },
    ])
    expect(textsOf(state)).toEqual(['Read.'])
  })
})

describe('a known message with unknown or broken parts', () => {
  it('is read as far as possible', () => {
    const { state, issues } = readStream({ ...known, new_field: { deep: [1] }, agent_id: 7, timestamp: null })
    expect(textsOf(state)).toEqual(['Known.'])
    expect(state.blocks[0]).not.toHaveProperty('timestamp')
    expect(issues).toEqual([])
  })

  it.each<[string, Message]>([
    ['a model message without a body', { type: 'assistant', session_id: 'session' }],
    ['a model message without content', assistantMessage('m1', undefined, {}, { content: null })],
    ['a model message with a number for content', assistantMessage('m1', undefined, {}, { content: 7 })],
    ['a user message without a body', { type: 'user', session_id: 'session' }],
    ['a user message without content', userMessage(null)],
    ['a tool call without name and input', assistantMessage('m1', { type: 'tool_use', id: 't1' })],
    ['a tool call without an id', assistantMessage('m1', { type: 'tool_use', name: 'Bash' })],
    ['an agent’s call without input', assistantMessage('m1', { type: 'tool_use', id: 't1', name: 'Agent' })],
    ['a tool result without an id', userMessage([{ type: 'tool_result' }])],
    ['a delta without a message', streamEvent('m9', { type: 'content_block_delta' })],
    ['a task without any id', system('task_started', { task_type: 'local_agent' })],
    ['a task’s end without any id', system('task_notification', { status: 'completed' })],
    ['a compaction without facts', system('compact_boundary')],
    ['a hook without an id', system('hook_started')],
    ['a result without facts', { type: 'result' }],
    [
      'an agent under itself',
      assistantMessage(
        'm2',
        { type: 'tool_use', id: 't1', name: 'Agent', input: {} },
        { parent_tool_use_id: 't1' },
      ),
    ],
    [
      'an agent that is called main',
      assistantMessage('m2', { type: 'tool_use', id: 'main', name: 'Agent', input: {} }),
    ],
  ])('does not hurt the rest: %s', (_, message) => {
    const { state, reducerIssues } = readStream(init, message, modelSays('m7', 'Read.'))
    expect(textsOf(state)).toContain('Read.')
    expect(reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
  })
})

it('a subagent’s line that names no agent is reported, and does not become main’s', () => {
  const { state, issues } = readStream(known, {
    ...modelSays('s1', 'Whose?'),
    isSidechain: true,
  })
  expect(textsOf(state)).toEqual(['Known.'])
  expect(issues).toMatchObject([{ code: 'unplaced-message', count: 1, line: 2 }])
})

it('issues of several files name their subagent', () => {
  const { issues } = readFiles([userMessage('Go.')], {
    a1: { lines: [userMessage('Do.'), { type: 'tea_break' }] },
  })
  expect(issues).toContainEqual({
    code: 'unknown-message',
    count: 1,
    messageType: 'tea_break',
    line: 2,
    transcript: 'a1',
  })
})

function readLines(...lines: readonly string[]) {
  return readStream(...lines.map((line): Message => JSON.parse(line)))
}
