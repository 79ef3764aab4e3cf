import { describe, expect, it } from 'vitest'
import type { SystemBlock } from '../../../../src/core/state/block.ts'
import { findSubagent } from '../../../../src/entries/index.ts'
import { blocksOf, notesOf, ofType } from '../../recordings.ts'
import {
  assistantMessage,
  init,
  type Message,
  modelCalls,
  modelSays,
  readOpenStream,
  readStream,
  system,
  text,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'

const task = (fields: Message) => ({ type: 'tool_use', id: 't1', name: 'Task', input: {}, ...fields })

// Versions leave out different fields. A missing field must not make the other fields disappear.
describe('a message with few fields', () => {
  it.each<[string, Message, string]>([
    ['nothing but its kind', {}, 'a tool was not permitted'],
    ['the tool', { tool_name: 'Bash' }, 'Bash was not permitted'],
    ['a reason', { tool_name: 'Bash', reason: 'No.' }, 'No.'],
  ])('of a permission: %s', (_, fields, message) => {
    const [note] = notesOf(readStream(init, system('permission_denied', fields)).state, 'permission')
    expect(note).toMatchObject({ message } satisfies Partial<SystemBlock>)
  })

  it.each<[string, Message, string]>([
    ['nothing but that it failed', {}, 'the turn failed'],
    ['its kind', { subtype: 'error_max_turns' }, 'error_max_turns'],
    ['a result', { subtype: 'error_max_turns', result: 'Too many.' }, 'Too many.'],
    ['its errors, some of them odd', { errors: ['One.', 7, 'Two.'], result: 'x' }, 'One.\nTwo.'],
  ])('of a turn that failed: %s', (_, fields, message) => {
    const { state } = readStream(init, { type: 'result', is_error: true, session_id: 'session', ...fields })
    expect(ofType(state, 'error')).toMatchObject([{ message }])
  })

  it('of a session: tools without a name are left out', () => {
    expect(readStream({ ...init, tools: ['Bash', 7, null] }).state.session.tools).toEqual(['Bash'])
    expect(readStream({ ...init, tools: 'all' }).state.session).not.toHaveProperty('tools')
  })

  it('of a retry', () => {
    const { state } = readStream(
      init,
      system('api_retry'),
      system('api_retry', { attempt: 2, max_retries: 5 }),
    )
    expect(notesOf(state, 'retry').map(({ message }) => message)).toEqual(['retry', 'retry 2 of 5'])
  })

  it('of a failed hook: its text in any form', () => {
    const fields = { hookErrors: ['No.', { code: 1 }], stopReason: 'Stopped.' }
    const { state } = readStream(init, system('stop_hook_summary', fields), system('stop_hook_summary'))
    expect(notesOf(state, 'hook').map(({ message }) => message)).toEqual(['Stopped.\nNo.\n{"code":1}'])
  })

  it('of a call without an id, a name or an input', () => {
    const { state } = readStream(init, assistantMessage('m1', { type: 'tool_use' }))
    expect(blocksOf(state)).toMatchObject([{ type: 'tool_use', toolName: '', toolUseId: '', input: {} }])
  })

  it('of a call with an empty id, beside a text', () => {
    const { state } = readStream(
      init,
      assistantMessage('m1', undefined, {}, { content: [toolUse(''), text('Read.')] }),
    )
    expect(blocksOf(state)).toMatchObject([
      { type: 'tool_use' },
      { type: 'assistant_text', content: 'Read.' },
    ])
  })

  it('of a text block and of thinking without text', () => {
    const { state } = readStream(
      init,
      assistantMessage('m1', { type: 'text' }),
      assistantMessage('m2', { type: 'thinking' }),
    )
    expect(blocksOf(state)).toMatchObject([{ content: '' }, { content: '' }])
  })

  it.each([undefined, null, '', []])('of a result: %j', (content) => {
    const { state } = readStream(init, modelCalls('m1', 't1'), {
      ...toolResult('t1', ''),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
    })
    expect(ofType(state, 'tool_result')).toMatchObject([{ output: content ?? '' }])
  })

  it('of an image or a document without its data', () => {
    const parts = [{ type: 'image' }, { type: 'document' }, { type: 'text' }, { type: 'text', text: 'Hi.' }]
    const { state, issues } = readStream(init, {
      ...userMessage('x'),
      message: { role: 'user', content: parts },
    })
    expect(ofType(state, 'user_message')).toMatchObject([{ content: 'Hi.' }])
    expect(issues.map(({ messageType }) => messageType)).toEqual(['user/image', 'user/document', 'user/text'])
  })

  it('of a failed background agent: the summary is its output', () => {
    const notification =
      '<task-notification>\n<task-id>a1</task-id>\n<status>failed</status>\n<summary>Agent failed.</summary>\n</task-notification>'
    const { state } = readStream(
      init,
      assistantMessage('m1', task({ input: { prompt: 'Go.', run_in_background: true } })),
      {
        ...toolResult('t1', 'Async agent launched'),
        tool_use_result: { agentId: 'a1', status: 'async_launched' },
      },
      { ...userMessage(notification), isSynthetic: true },
    )
    expect(findSubagent(state, 't1')).toMatchObject({ status: 'error', output: 'Agent failed.' })
  })

  it('of an unknown agent, without a text or an end', () => {
    const { state, issues } = readOpenStream(
      init,
      assistantMessage('m1', task({ input: { prompt: 'Go.' } })),
      modelSays('m2', 'Done.', { parent_tool_use_id: 't1' }),
      assistantMessage('m3', { type: 'image' }, { parent_tool_use_id: 't1' }),
      system('task_updated', { task_id: 'nobody', patch: { status: 'completed' } }),
      system('task_notification', { task_id: 'nobody', status: 'completed' }),
      system('task_started', { task_id: undefined, task_type: 'local_agent' }),
    )
    expect(findSubagent(state, 't1')).toMatchObject({ status: 'running' })
    expect(issues.map(({ messageType }) => messageType)).toEqual(['image', 'system/task_started', undefined])
  })
})
