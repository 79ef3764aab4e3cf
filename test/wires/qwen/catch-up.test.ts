import { describe, expect, it } from 'vitest'
import { qwenSource } from '../../../src/entries/qwen.ts'
import {
  answers,
  call,
  common,
  delta,
  done,
  event,
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

const HISTORY = [
  record('1', null, says('user', 'Go on')),
  record('2', '1', answers([{ text: 'Done.' }], 5)),
  record('3', '2', says('user', 'Next')),
  record('4', '3', answers([{ text: 'Done.' }], 9)),
]

function join(history: readonly unknown[], ...live: readonly unknown[]) {
  return qwenSource.read(read(...history).session, live).session
}

const wordsOf = (history: readonly unknown[], ...live: readonly unknown[]) =>
  join(history, ...live).state.blocks.map(words)

describe('a reader that has the files and joins the stream', () => {
  it('shows a reply with the same words and other tokens', () => {
    expect(wordsOf(HISTORY, prompt('Go on'), reply([text('Done.')], 14))).toEqual([
      ...['Go on', 'Done.', 'Next', 'Done.'],
      ...['Go on', 'Done.'],
    ])
  })

  it('ends a turn that failed', () => {
    const history = [record('1', null, says('user', 'Go on'))]
    const failed = done('', {
      subtype: 'error_during_execution',
      is_error: true,
      num_turns: 1,
      error: { message: '400' },
    })
    expect(join(history, sent('Go on'), init, failed).state.turn).toMatchObject({
      status: 'failed',
      error: '400',
    })
    expect(join(HISTORY, failed).state.turn.status).toBe('finished')
  })

  it('shows a new text as it comes', () => {
    const { blocks } = join(HISTORY, init, start(), delta('D'), delta('one')).state
    expect(blocks.at(-1)).toMatchObject({ status: 'complete', content: 'Done.' })
    expect(join(HISTORY, init, start(), delta('D'), delta('ifferent')).state.blocks.at(-1)).toMatchObject({
      status: 'pending',
      content: 'Different',
    })
  })

  it('knows thoughts, and texts after a connection that broke', () => {
    const history = [
      record('1', null, says('user', 'Go on')),
      record('2', '1', answers([{ text: 'Hm.', thought: true }, { text: 'The bridge.' }], 5)),
    ]
    const thinking = { type: 'thinking', thinking: 'Hm.' }
    const piece = event({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Hm' } })
    const live = [init, start(), piece, reply([thinking]), reply([text('The briThe bridge.')], 5)]
    expect(wordsOf(history, ...live)).toEqual(['Go on', 'Hm.', 'The bridge.'])
    expect(wordsOf(history, init, reply([{ ...thinking, thinking: 'Oh.' }]))).toContain('Oh.')
  })

  it('knows a text that the person has stopped, and shows the next prompt', () => {
    const history = [
      record('1', null, { ...says('user', 'Go on'), provenance: 'user' }),
      record('2', '1', { ...says('assistant', 'Half a'), provenance: 'model' }),
    ]
    const live = [prompt('Go on'), reply([text('Half a')]), prompt('Other'), reply([text('Other.')], 7)]
    const { blocks } = join(history, ...live).state
    expect(blocks.filter(({ type }) => type !== 'system').map(words)).toEqual([
      'Go on',
      'Half a',
      'Other',
      'Other.',
    ])
  })

  it('knows reports of errors and of compactions', () => {
    const failed = { 'event.name': 'qwen-code.api_error', prompt_id: 's###1', error_message: '400 no' }
    const history = [
      record('1', null, says('user', 'Go on')),
      record('2', '1', { type: 'system', subtype: 'ui_telemetry', systemPayload: { uiEvent: failed } }),
      record('3', '2', { type: 'system', subtype: 'chat_compression', systemPayload: {} }),
      record('4', '3', says('user', 'Next')),
    ]
    const live = [
      prompt('Go on'),
      reply([text('[API Error: 400 no]')]),
      sent('/compress'),
      start(),
      delta('Context comp'),
    ]
    const { blocks } = join(
      history,
      ...live,
      reply([text('Context compressed (9 -> 3).')]),
      prompt('Next'),
    ).state
    expect(blocks).toEqual(read(...history).session.state.blocks)
  })

  it('goes on with an agent that runs', () => {
    const input = { prompt: 'p', subagent_type: 't', description: 'd' }
    const history = [
      record('1', null, says('user', 'Go on')),
      record('2', '1', answers([{ functionCall: { id: 'a', name: 'agent', args: input } }], 5)),
    ]
    const asked = { subtype: 'can_use_tool', tool_name: 'read_file', tool_use_id: 'c', input: {} }
    const live = [
      reply([call('a', 'agent', input)], 5),
      prompt('p', 'a'),
      { ...reply([call('c')]), parent_tool_use_id: 'a' },
      { type: 'control_request', request_id: 'r', request: asked },
      { ...result('c', 'text'), parent_tool_use_id: 'a' },
      result('a', 'The report.'),
    ]
    const { subagents, blocks } = join(history, ...live).state
    expect(subagents).toMatchObject([{ status: 'success', output: 'The report.' }])
    const types = subagents[0]?.blocks.map(({ type }) => type)
    expect(types).toEqual(['user_message', 'tool_use', 'request', 'tool_result'])
    expect(blocks).toHaveLength(2)
  })

  it('knows the start and the end of an agent in the background', () => {
    const input = { prompt: 'p', subagent_type: 't', description: 'd' }
    const launched = 'Background agent launched successfully.\ntask_id: t-a'
    const history = [
      record('1', null, says('user', 'Go on')),
      record('2', '1', answers([{ functionCall: { id: 'a', name: 'agent', args: input } }], 5)),
      record('3', '2', {
        type: 'tool_result',
        message: { parts: [{ functionResponse: { id: 'a', response: { output: launched } } }] },
      }),
    ]
    const facts = { task_id: 't-a', tool_use_id: 'a', subagent_type: 't', description: 'd' }
    const live = [
      reply([call('a', 'agent', input)], 5),
      prompt('p', 'a'),
      task('task_started', facts),
      result('a', launched),
      reply([text('It runs.')], 8),
      task('task_notification', { ...facts, status: 'completed' }),
    ]
    const joined = join(history, ...live)
    expect(joined.state.blocks.map(words)).toEqual(['Go on', 'subagent', 'It runs.'])
    expect(joined.state.subagents).toMatchObject([{ status: 'success', agentId: 't-a' }])
    const again = qwenSource.read(qwenSource.open(joined.state), live.slice(0, 4)).session
    expect(again.state).toEqual(joined.state)
  })

  it('knows a prompt of the client that comes again before a known line', () => {
    const known = reply([text('Done.')], 9)
    const live = [known, sent('Next'), known, sent('Next'), init, reply([text('New.')], 11)]
    expect(wordsOf(HISTORY, ...live)).toEqual(['Go on', 'Done.', 'Next', 'Done.', 'Next', 'New.'])
  })

  it('goes on behind a line without content', () => {
    const wrong = { ...common, type: 'assistant', uuid: uuid(), message: { content: [{ type: 'tool_use' }] } }
    expect(wordsOf(HISTORY, wrong, reply([text('New.')], 11))).toContain('New.')
  })
})
