import { describe, expect, it } from 'vitest'
import { branches, sessionStatus } from '../../../src/entries/index.ts'
import { qwenSource } from '../../../src/entries/qwen.ts'
import {
  call,
  common,
  delta,
  done,
  init,
  prompt,
  read,
  record,
  reply,
  result,
  says,
  sent,
  start,
  task,
  text,
  uuid,
  words,
} from './lines.ts'

describe('a stream', () => {
  it.each([
    ['which the model repeats', 'The bri', 'The bridge.', 'The bridge.'],
    ['which the model goes on with', 'The ', 'bridge.', 'The bridge.'],
    ['of which the model repeats few letters', 'The br', 'bridge.', 'The brbridge.'],
  ])('goes on with what a broken connection has left of a text, %s', (_, cut, next, whole) => {
    const retry = { type: 'system', subtype: 'retry', uuid: uuid(), ...common, data: { preserveText: true } }
    const attempt = [init, prompt, start(), delta(cut), retry, delta(next)]
    expect(read(...attempt).session.state.blocks.map(words)).toEqual([cut + next])
    const { state } = read(...attempt, reply([text(cut + next)], 3)).session
    expect(state.blocks.map(words)).toEqual([whole])
  })

  it('shows a text that the person has stopped as interrupted at the next prompt', () => {
    const prompt = (content: string) => ({
      type: 'user',
      uuid: uuid(),
      ...common,
      message: { role: 'user', content: [text(content)] },
    })
    const { state } = read(prompt('A'), reply([text('Half a')]), prompt('B')).session
    expect(state.blocks.map((block) => block.type)).toEqual([
      'user_message',
      'assistant_text',
      'system',
      'user_message',
    ])
    expect(state.turn.status).toBe('running')
  })

  it('waits for the person', () => {
    const request = {
      subtype: 'can_use_tool',
      tool_name: 'run_shell_command',
      tool_use_id: 'c',
      input: { command: 'ls' },
    }
    const asked = [
      init,
      prompt,
      reply([call('c', 'run_shell_command', { command: 'ls' })], 3),
      { type: 'control_request', request_id: 'r', request },
    ]
    expect(sessionStatus(read(...asked).session.state)).toBe('waiting')
    const { state } = read(...asked, result('c', '[Operation Cancelled] Reason: no', true)).session
    expect(state.blocks.find(({ type }) => type === 'request')).toMatchObject({
      status: 'complete',
      denied: true,
      answer: 'deny',
    })
  })

  // Before 0.24, the last line of such a turn says `success`.
  it('fails with the request of the model, whose error is its text', () => {
    const words = '[API Error: 400 The model refuses.]'
    const { state } = read(init, reply([text(words)]), done(words)).session
    expect(state.turn).toMatchObject({ status: 'failed', error: '400 The model refuses.' })
    expect(state.blocks).toMatchObject([{ type: 'error', message: '400 The model refuses.' }])
  })

  it('keeps the turn when an agent in the foreground fails', () => {
    const agent = call('a', 'agent', { prompt: 'p', subagent_type: 't', description: 'd' })
    const failed = {
      type: 'result',
      subtype: 'error_during_execution',
      uuid: uuid(),
      session_id: 's',
      is_error: true,
      num_turns: 0,
      error: { message: '400 no' },
    }
    const { state } = read(init, reply([agent], 3), failed, result('a', 'Subagent execution failed.')).session
    expect(state.turn.status).toBe('running')
    expect(state.subagents).toMatchObject([{ status: 'error', name: 't' }])
    expect(state.subagents[0]?.blocks).toMatchObject([{ type: 'error', message: '400 no' }])
  })

  it('knows prompts that come again by their places', () => {
    const prompt = {
      type: 'user',
      session_id: 's',
      message: { role: 'user', content: 'Go on' },
      parent_tool_use_id: null,
    }
    const answer = reply([text('One')], 1)
    const { session } = read(prompt, init, answer, prompt, answer, prompt, init, reply([text('Two')], 1))
    expect(qwenSource.end(session).session.state.blocks.map(words)).toEqual(['Go on', 'One', 'Go on', 'Two'])
  })
})

describe('a line with less than usual', () => {
  const tool = (part: object) =>
    read(init, reply([{ type: 'tool_use', id: 'c', ...part }], 3)).session.state.blocks
  const failed = (message: string) =>
    done('', { subtype: 'error_during_execution', is_error: true, num_turns: 0, error: { message } })

  it('is a call without a name, and a result without an output', () => {
    expect(tool({})).toMatchObject([{ type: 'tool_use', toolName: '', input: {} }])
    const silent = prompt([{ type: 'tool_result', tool_use_id: 'c' }, { type: 'tool_result' }])
    const { blocks } = read(init, reply([call('c')], 3), silent).session.state
    expect(blocks.at(-1)).toMatchObject({ type: 'tool_result', output: '' })
  })

  it('is the result of an agent whose report is no text', () => {
    const { subagents } = read(init, reply([call('a', 'agent')], 3), result('a', '')).session.state
    expect(subagents).toMatchObject([{ status: 'success', output: '' }])
    const parts = prompt([{ type: 'tool_result', tool_use_id: 'a', content: [] }])
    expect(read(init, reply([call('a', 'agent')], 3), parts).session.state.subagents).toMatchObject([
      { output: '' },
    ])
  })

  it('is a retry before a text, and a whole text that does not begin with the attempt before', () => {
    const retry = { type: 'system', subtype: 'retry', uuid: 'retry', ...common }
    const { blocks } = read(
      init,
      retry,
      start(),
      delta('The'),
      { ...retry, uuid: 'retry-2' },
      reply([text('A bridge.')], 3),
    ).session.state
    expect(blocks.map(words)).toEqual(['A bridge.'])
  })

  it('cancels an agent without an error', () => {
    const agent = call('a', 'agent', { prompt: 'p' })
    const { state } = read(
      init,
      reply([agent], 3),
      failed('CANCELLED'),
      result('a', 'Subagent execution failed.'),
    ).session
    expect(state.subagents).toMatchObject([{ status: 'error', blocks: [] }])
  })

  it('asks without a call, withdraws nothing, and takes the first of two answers', () => {
    const questions = [{ question: 'Which?', options: [{ label: 'one' }] }, { options: [] }]
    const ask = { subtype: 'can_use_tool', tool_name: 'ask_user_question', input: { questions } }
    const asked = { type: 'control_request', request_id: 'r', request: ask }
    const answered = (answers: object) => ({
      type: 'control_response',
      response: { request_id: 'r', response: { behavior: 'allow', updatedInput: { answers } } },
    })
    const withdrawn = { type: 'control_cancel_request', request_id: 'r' }
    const { state } = read(
      init,
      asked,
      asked,
      withdrawn,
      answered({ 0: 'one' }),
      answered({ 0: 'two' }),
    ).session
    expect(state.blocks).toMatchObject([{ type: 'request', status: 'complete', answer: [['one'], []] }])
    const silent = read(init, asked, { type: 'control_response', request_id: 'r', allowed: true }).session
      .state
    expect(silent.blocks[0]).not.toHaveProperty('answer')
  })
})

describe('prompts of a client', () => {
  it('have images by their data and their places', () => {
    const image = (source: object) => sent([{ type: 'image', source }])
    const { blocks } = read(image({ type: 'url', url: 'https://example.com/a.png' })).session.state
    expect(blocks.map(words)).toEqual([
      [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
    ])
    const data = read(image({ type: 'base64', data: 'AAAA' })).session.state.blocks
    expect(data.map(words)).toEqual([
      [{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }],
    ])
    expect(read(image({ type: 'base64' })).session.state.blocks.map(words)).toEqual([])
  })

  it('are shown at the end if no turn has taken them', () => {
    const { session } = read(sent('A'), init, sent('B'), sent('C'))
    expect(session.state.blocks.map(words)).toEqual(['A'])
    expect(qwenSource.end(session).session.state.blocks.map(words)).toContain('C')
  })

  it('call commands at one place', () => {
    const { blocks } = read(sent('/stats'), init, done(''), sent('/help'), init, reply([text('Help.')], 2))
      .session.state
    expect(blocks.map(words)).toEqual(['/stats', '/help', 'Help.'])
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(3)
  })
})

describe('lines that come again', () => {
  it('give a turn its end back that their first line has begun again', () => {
    const answer = reply([text('One.')], 2)
    const end = done('One.')
    const { session } = read(init, answer, end)
    expect(qwenSource.read(session, [init]).session.state.turn.status).toBe('running')
    expect(qwenSource.read(session, [init, answer, end]).session.state).toEqual(session.state)
  })

  it('end an agent once', () => {
    const facts = { task_id: 't-a', tool_use_id: 'a', status: 'completed' }
    const lines = [
      init,
      reply([call('a', 'agent', { prompt: 'p' })], 3),
      task('task_started', facts),
      task('task_notification', facts),
    ]
    const { session } = read(...lines)
    expect(qwenSource.read(session, [task('task_notification', facts)]).events).toEqual([])
  })
})

it('another session stays out while the turn runs', () => {
  const other = { ...init, uuid: 'other', session_id: 'other' }
  const { session, issues } = read(init, other, { ...reply([text('One.')], 2), session_id: 'other' })
  expect(session.state.blocks).toEqual([])
  expect(issues).toMatchObject([{ code: 'other-session' }, { code: 'other-session' }])
})

describe('a file', () => {
  it('moves what a rewind takes back to a branch', () => {
    const first = record('1', null, says('user', 'A'))
    const second = record('2', '1', says('assistant', 'a'))
    const third = record('3', '2', says('user', 'B'))
    const rewind = record('4', '2', {
      type: 'system',
      subtype: 'rewind',
      systemPayload: { truncatedCount: 1 },
    })
    const { state } = read(first, second, third, rewind, record('5', '4', says('user', 'C'))).session
    expect(state.blocks.filter(({ type }) => type !== 'system').map(words)).toEqual(['A', 'a', 'C'])
    expect(branches(state).map(({ blocks }) => blocks.map(words))).toEqual([['B']])
  })

  it('reports a rewind to a record that it does not have', () => {
    const rewind = record('4', 'x', { type: 'system', subtype: 'rewind', systemPayload: {} })
    expect(read(rewind).issues).toMatchObject([{ code: 'unplaced-message' }])
  })
})
