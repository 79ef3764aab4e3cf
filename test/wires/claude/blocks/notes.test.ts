import { describe, expect, it } from 'vitest'
import { type BlockOf, createInitialConversationState } from '../../../../src/entries/index.ts'
import { notesOf, ofType } from '../../recordings.ts'
import {
  assistantMessage,
  type Message,
  readFiles,
  readOpenStream,
  readStream,
  system,
  text,
  userMessage,
} from '../messages.ts'

const notes = (...messages: readonly Message[]): readonly BlockOf<'system'>[] =>
  ofType(readStream(...messages).state, 'system')

const attached = (attachment: Message): Message => ({ type: 'attachment', attachment, uuid: 'u1' })

// `/goal` of 2.1.220 and later. The checks and their reasons were unknown messages.
it('shows a goal, and each check with its reason', () => {
  const goal = (fields: Message) => attached({ type: 'goal_status', condition: 'All tests pass.', ...fields })
  const { state, issues } = readFiles([
    userMessage('Go.'),
    { ...goal({ met: false, sentinel: true }), uuid: 'g1' },
    { ...goal({ met: false, reason: 'Two tests fail.' }), uuid: 'g2' },
    { ...goal({ met: true }), uuid: 'g3' },
  ])
  expect(issues).toEqual([])
  expect(ofType(state, 'system').map(({ subtype, message, data }) => [subtype, message, data])).toEqual([
    ['goal', 'Goal: All tests pass.', { condition: 'All tests pass.', met: false, sentinel: true }],
    [
      'goal',
      'Goal not met: Two tests fail.',
      { condition: 'All tests pass.', met: false, reason: 'Two tests fail.' },
    ],
    ['goal', 'Goal met: All tests pass.', { condition: 'All tests pass.', met: true }],
  ])
})

it('a compaction is the same system block in the stream and on disk', () => {
  const live = system('compact_boundary', {
    uuid: 'u1',
    compact_metadata: { trigger: 'auto', pre_tokens: 900, post_tokens: 100, preserved_segment: {} },
  })
  const stored: Message = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'u1',
    parentUuid: null,
    logicalParentUuid: 'u0',
    content: 'Conversation compacted',
    compactMetadata: { trigger: 'auto', preTokens: 900, postTokens: 100 },
  }
  const expected = {
    type: 'system',
    id: 'u1',
    subtype: 'compaction',
    status: 'complete',
    data: { trigger: 'auto', preTokens: 900, postTokens: 100 },
  }
  expect(notes(live)).toMatchObject([expected])
  expect(readFiles([userMessage('Go.'), stored]).state.blocks[1]).toMatchObject(expected)
})

it('a retry of a request to the model is the same system block in the stream and on disk', () => {
  const live = system('api_retry', {
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 600,
    error_status: 529,
    error: 'overloaded_error',
  })
  const stored = {
    type: 'system',
    subtype: 'api_error',
    error: { status: 529, message: 'overloaded_error' },
    retryInMs: 600,
    retryAttempt: 1,
    maxRetries: 10,
  }
  const data = { attempt: 1, maxRetries: 10, delayMs: 600, errorStatus: 529, error: 'overloaded_error' }
  expect(notes(live)).toMatchObject([{ subtype: 'retry', message: 'retry 1 of 10', data }])
  expect(readFiles([userMessage('Go.'), stored]).state.blocks[1]).toMatchObject({ subtype: 'retry', data })
})

describe('a hook', () => {
  const started = system('hook_started', {
    hook_id: 'h1',
    hook_name: 'PreToolUse:Bash',
    hook_event: 'PreToolUse',
  })
  const answered = (fields: Message) =>
    system('hook_response', {
      hook_id: 'h1',
      hook_name: 'PreToolUse:Bash',
      hook_event: 'PreToolUse',
      ...fields,
    })

  it('is one system block, pending until the hook answers or the input ends', () => {
    const { state } = readOpenStream(started)
    expect(ofType(state, 'system')).toMatchObject([{ subtype: 'hook', status: 'pending' }])
    expect(notes(started)).toMatchObject([{ subtype: 'hook', status: 'complete' }])
    const response = answered({
      output: 'ok\n',
      stdout: 'ok\n',
      stderr: '',
      exit_code: 0,
      outcome: 'success',
    })
    expect(notes(started, response)).toMatchObject([
      {
        status: 'complete',
        message: 'PreToolUse:Bash: ok',
        data: { hookName: 'PreToolUse:Bash', exitCode: 0 },
      },
    ])
  })

  it('is an error if it blocks', () => {
    const response = answered({ output: 'blocked\n', stderr: 'blocked\n', exit_code: 2, outcome: 'error' })
    expect(notes(started, response)).toMatchObject([
      { status: 'error', data: { exitCode: 2, stderr: 'blocked\n' } },
    ])
  })

  it('has a block for the summary’s error, and no block for a summary without errors', () => {
    const summary = { type: 'system', subtype: 'stop_hook_summary', hookCount: 1, stopReason: '' }
    const silent = readFiles([
      userMessage('Go.'),
      { ...summary, hookErrors: [], preventedContinuation: false },
    ])
    expect(silent.state.blocks).toHaveLength(1)
    const failed = readFiles([userMessage('Go.'), { ...summary, hookErrors: ['it broke'] }])
    expect(failed.state.blocks[1]).toMatchObject({ subtype: 'hook', status: 'error', message: 'it broke' })
    expect([...silent.issues, ...failed.issues]).toEqual([])
  })
})

describe('other messages of the program', () => {
  it.each<[string, Message, Message]>([
    [
      'a refused permission',
      system('permission_denied', { tool_name: 'Bash', tool_use_id: 't1', message: 'Not allowed.' }),
      { subtype: 'permission', message: 'Not allowed.', data: { toolName: 'Bash', toolUseId: 't1' } },
    ],
    [
      'a text for the person',
      system('informational', { content: 'The model refused.', level: 'info' }),
      { subtype: 'informational', message: 'The model refused.' },
    ],
    [
      'the turn limit',
      attached({ type: 'max_turns_reached', maxTurns: 3 }),
      { subtype: 'max_turns_reached' },
    ],
  ])('are kept: %s', (_, message, expected) => {
    expect(notes(message)).toMatchObject([{ type: 'system', status: 'complete', ...expected }])
  })

  it('are no text of the model, even in the model’s place', () => {
    const synthetic = assistantMessage('u9', text('No response requested.'), {}, { model: '<synthetic>' })
    const { state } = readFiles([userMessage('Go.'), synthetic])
    expect(ofType(state, 'assistant_text')).toEqual([])
    expect(notesOf(state, 'synthetic')).toMatchObject([{ message: 'No response requested.' }])
    expect(state.session.model).toBeUndefined()
  })
})

describe('a message that only the program needs', () => {
  it.each(['status', 'thinking_tokens', 'task_progress', 'background_tasks_changed'])(
    'leaves no trace in the stream: %s',
    (subtype) => {
      const { state, issues } = readStream(system(subtype, { task_id: 'x', tasks: [], estimated_tokens: 3 }))
      expect(state).toEqual(createInitialConversationState())
      expect(issues).toEqual([])
    },
  )

  it.each(
    [
      'environment model date skill_listing agent_listing_delta deferred_tools_delta deferred_tools_record',
      'auto_mode session_context remote_session_change prompt_snapshot total_tokens_reminder',
    ]
      .join(' ')
      .split(' '),
  )('leaves no trace on disk: attachment %s', (type) => {
    const { state, issues } = readFiles([userMessage('Go.'), attached({ type })])
    expect(state.blocks).toHaveLength(1)
    expect(issues).toEqual([])
  })

  it.each(
    [
      'queue-operation last-prompt mode tools-used cost-state atis-latch summary fork-context-ref',
      'api-request api-request-shape api-request-blob control_response',
    ]
      .join(' ')
      .split(' '),
  )('leaves no trace on disk: %s', (type) => {
    const { state, issues } = readFiles([userMessage('Go.'), { type, uuid: undefined }])
    expect(state.blocks).toHaveLength(1)
    expect(issues).toEqual([])
  })
})
