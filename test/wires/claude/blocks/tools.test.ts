import { describe, expect, it } from 'vitest'
import { blocksOf, notesOf, ofType } from '../../recordings.ts'
import {
  assistantMessage,
  fromSubagent,
  type Message,
  modelCalls,
  readFiles,
  readStream,
  text,
  toolResult,
  turnResult,
  userMessage,
} from '../messages.ts'

const answered = { stop_reason: 'end_turn' }

it('a tool that the provider runs itself may fail', () => {
  const call = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'x' } }
  const search = (content: unknown): readonly Message[] => [
    assistantMessage('m1', call),
    assistantMessage('m1', { type: 'web_search_tool_result', tool_use_id: 'srv1', content }),
    assistantMessage('m1', text('Found it.'), {}, answered),
    turnResult(),
  ]
  const { state } = readStream(...search({ type: 'web_search_tool_result_error', error_code: 'unavailable' }))
  expect(ofType(state, 'tool_use')).toMatchObject([{ status: 'error' }])
  expect(ofType(state, 'tool_result')).toMatchObject([{ isError: true }])
})

it('a tool that starts no agent may have its own conversation, which ends with its result', () => {
  const { state, ending } = readStream(
    modelCalls('m1', 't1', 'Workflow'),
    assistantMessage('x1', text('inside'), fromSubagent('t1')),
    toolResult('t1', 'done'),
    assistantMessage('m2', text('ok'), {}, answered),
    turnResult(),
  )
  expect(state.subagents).toMatchObject([{ toolUseId: 't1', status: 'success' }])
  expect(blocksOf(state, 't1')).toHaveLength(1)
  expect(ofType(state, 'tool_use')).toMatchObject([{ status: 'complete' }])
  expect(ending).toBe('finished')
})

it('ends an unlinked agent with its own turn', () => {
  const lines = [userMessage('Summarise.'), assistantMessage('s1', text('Summary.'), {}, answered)]
  const main = [userMessage('Go.'), assistantMessage('m1', text('Done.'), {}, answered)]
  const { state, ending } = readFiles(main, { a9: { lines } })
  expect(state.subagents).toMatchObject([{ toolUseId: 'a9', status: 'success', output: 'Summary.' }])
  expect(ending).toBe('finished')
})

describe('a turn that fails', () => {
  it('is an error even if the message has only its kind, as in older streams', () => {
    const failure = assistantMessage(
      'x',
      text('API Error'),
      { error: 'invalid_request' },
      { model: '<synthetic>' },
    )
    const { state } = readStream(failure, turnResult({ is_error: true }))
    expect(ofType(state, 'error')).toMatchObject([{ message: 'API Error', code: 'invalid_request' }])
    expect(notesOf(state, 'synthetic')).toEqual([])
  })

  it('ends main’s work', () => {
    const budget = turnResult({ subtype: 'error_max_budget_usd', is_error: true, errors: ['Too much.'] })
    const { state, ending } = readStream(modelCalls('m1', 't1'), budget)
    expect(ofType(state, 'tool_use')).toMatchObject([{ status: 'complete' }])
    expect(ofType(state, 'error')).toMatchObject([{ message: 'Too much.', code: 'error_max_budget_usd' }])
    expect(ending).toBe('finished')
  })
})

it.each([
  ['a skill', 'Base directory for this skill: what does that mean?'],
  ['a notification', '<task-notification> is in my log, why?'],
])('takes no words of a person for those of the program: %s', (_, words) => {
  const { state } = readFiles([userMessage(words), assistantMessage('m1', text('Well.'), {}, answered)])
  expect(state.blocks[0]).toMatchObject({ type: 'user_message', content: words })
  expect(state.blocks[0]).not.toHaveProperty('origin')
})

it('shows the reason why a hook blocked', () => {
  const attachment = {
    type: 'hook_blocking_error',
    hookName: 'Stop',
    blockingError: { blockingError: 'Not yet.' },
  }
  const { state } = readFiles([userMessage('Go.'), { type: 'attachment', attachment }])
  expect(notesOf(state, 'hook')).toMatchObject([{ status: 'error', message: 'Stop: Not yet.' }])
})

it('reads the latest model, version and folder from the files too', () => {
  const later = { version: '2.1.400', cwd: '/other' }
  const { state } = readFiles([
    userMessage('Go.'),
    assistantMessage('m1', text('a'), {}, answered),
    userMessage('On.', later),
    assistantMessage('m2', text('b'), later, { ...answered, model: 'sonnet' }),
  ])
  expect(state.session).toMatchObject({ ...later, model: 'sonnet' })
})
