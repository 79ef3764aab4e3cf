import { describe, expect, it } from 'vitest'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { ofType } from '../recordings.ts'
import { ended, entry, event, head, readLines, started } from './made-lines.ts'

const search = (fields: object) => entry({ type: 'web_search_call', status: 'completed', ...fields })

describe('a search', () => {
  it('is complete with its entry, which may have no id', () => {
    const { state, issues } = readLines(
      head,
      started,
      search({ id: 'ws', action: { type: 'search', query: 'cats' } }),
      search({ action: { type: 'search', queries: ['dogs', 'birds'] } }),
      ended,
    )
    expect(issues).toEqual([])
    expect(ofType(state, 'tool_use').map(({ input, status }) => [input, status])).toEqual([
      [{ query: 'cats' }, 'complete'],
      [{ query: 'dogs' }, 'complete'],
    ])
    expect(ofType(state, 'tool_result')).toHaveLength(2)
  })

  it('is one, if an event has reported it', () => {
    const action = { type: 'search', query: 'cats' }
    const { state } = readLines(
      head,
      started,
      event({ type: 'web_search_end', call_id: 'ws', query: 'cats', action }),
      search({ action }),
      search({ action: { type: 'search', query: 'dogs' } }),
      ended,
    )
    expect(ofType(state, 'tool_use').map(({ input }) => input)).toEqual([
      { query: 'cats' },
      { query: 'dogs' },
    ])
  })
})

it('an image that the model has made is the result of its call', () => {
  const { state } = readLines(
    head,
    started,
    entry({
      type: 'image_generation_call',
      id: 'ig',
      status: 'completed',
      revised_prompt: 'a cat',
      result: 'AA==',
    }),
    ended,
  )
  expect(ofType(state, 'tool_use')).toMatchObject([
    { toolName: 'image_generation', input: { prompt: 'a cat' } },
  ])
  expect(ofType(state, 'tool_result')).toMatchObject([{ output: 'AA==', isError: false }])
})

// A file of these versions that is followed showed `running` for ever after the answer.
it('has a turn that ends with the tokens of an answer, and goes on with later work', () => {
  const line = (type: string, payload: object, second: number) => ({
    timestamp: `2025-09-01T10:00:0${second}.000Z`,
    type,
    payload,
  })
  const count = (total: number, second: number) => {
    const tokens = { input_tokens: total, output_tokens: 1, total_tokens: total + 1 }
    const info = { last_token_usage: tokens, total_token_usage: tokens }
    return line('event_msg', { type: 'token_count', info }, second)
  }
  const say = (text: string, second: number) => [
    line(
      'response_item',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
      second,
    ),
    line('event_msg', { type: 'agent_message', message: text }, second),
  ]
  const call = { type: 'function_call', name: 'shell', call_id: 'c', arguments: '{"command":["ls"]}' }
  const lines = [
    line('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.30.0' }, 0),
    line('event_msg', { type: 'user_message', message: 'Go.' }, 1),
    ...say('I look.', 2),
    line('response_item', call, 3),
    count(10, 3),
    line('response_item', { type: 'function_call_output', call_id: 'c', output: 'a' }, 4),
    ...say('One file.', 5),
    count(30, 5),
  ]
  const statuses = lines.map((_, at) => {
    const { session } = codexSource.read(codexSource.open(), lines.slice(0, at + 1))
    return session.state.turn.status
  })
  expect(statuses.slice(1)).toEqual([...Array.from({ length: 8 }, () => 'running'), 'finished'])
  const { turn } = codexSource.read(codexSource.open(), [
    ...lines,
    line('response_item', { ...call, call_id: 'c2' }, 6),
  ]).session.state
  expect(turn.status).toBe('running')
})
