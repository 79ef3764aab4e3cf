/**
 * Streams of other servers' shapes. No server wrote them: they are made for the format, from the schema of the protocol and the behaviour of
 * its client. Each is one way in which servers use the protocol.
 */

export type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const started = (runId: string, fields: object = {}): Event => ({
  type: 'RUN_STARTED',
  threadId: 't',
  runId,
  ...fields,
})

const finished = (runId: string, fields: object = {}): Event => ({
  type: 'RUN_FINISHED',
  threadId: 't',
  runId,
  ...fields,
})

const input = (runId: string, messages: readonly object[], fields: object = {}) => ({
  input: { threadId: 't', runId, messages, ...fields },
})

const user = { id: 'u1', role: 'user', content: 'What is the weather?' }

/** A server that repeats its input, and streams text, reasoning and a call. */
export const plain: readonly Event[] = [
  started('r1', { timestamp: 1_767_225_600_000, ...input('r1', [user]) }),
  { type: 'STEP_STARTED', stepName: 'model' },
  { type: 'REASONING_START', messageId: 'm1' },
  { type: 'REASONING_MESSAGE_START', messageId: 'm1', role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId: 'm1', delta: 'Look it up.' },
  { type: 'REASONING_MESSAGE_END', messageId: 'm1' },
  { type: 'REASONING_END', messageId: 'm1' },
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'weather', parentMessageId: 'm2' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"place":' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '"Bern"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c1' },
  { type: 'TOOL_CALL_RESULT', messageId: 'm3', toolCallId: 'c1', role: 'tool', content: 'Rain.' },
  { type: 'STEP_FINISHED', stepName: 'model' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm2', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta: 'It ' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta: 'rains.' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm2' },
  { type: 'RAW', event: { any: 'thing' } },
  { type: 'CUSTOM', name: 'mood', value: 'good' },
  finished('r1', {
    timestamp: 1_767_225_601_000,
    usage: [
      { model: 'a', inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, cacheWriteInputTokens: 1 },
      { outputTokens: 1, reasoningTokens: 1 },
    ],
  }),
]

/** A server that sends chunks of main and of an agent at once. */
export const chunks: readonly Event[] = [
  started('r1'),
  { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', role: 'assistant', delta: 'One ' },
  { type: 'TEXT_MESSAGE_CHUNK', delta: 'two.' },
  { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'helper' },
  { type: 'REASONING_MESSAGE_CHUNK', messageId: 'm2', subagentRunId: 's1', delta: 'Hm' },
  { type: 'TEXT_MESSAGE_CHUNK', delta: ' Three.' },
  { type: 'REASONING_MESSAGE_CHUNK', subagentRunId: 's1', delta: 'm.' },
  { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', toolCallName: 'ls', parentMessageId: 'm1', delta: '{}' },
  { type: 'REASONING_MESSAGE_CHUNK', delta: ' Yes.' },
  { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm3', subagentRunId: 's1', delta: 'Done.' },
  { type: 'SUBAGENT_FINISHED', subagentRunId: 's1', result: { ok: true } },
  { type: 'TOOL_CALL_RESULT', messageId: 'm4', toolCallId: 'c1', content: 'a.txt' },
  finished('r1', { outcome: { type: 'success' } }),
]

/** A server before 1.0: reasoning without ids, and files as binary parts. */
export const legacy: readonly Event[] = [
  started(
    'r1',
    input('r1', [
      {
        id: 'u1',
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'binary', mimeType: 'image/png', data: 'AA==' },
          { type: 'binary', mimeType: 'application/pdf', url: 'https://x.test/a.pdf', filename: 'a.pdf' },
          { type: 'binary', mimeType: 'audio/wav' },
        ],
      },
    ]),
  ),
  { type: 'THINKING_START', title: 'Plan' },
  { type: 'THINKING_TEXT_MESSAGE_START' },
  { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'First.' },
  { type: 'THINKING_TEXT_MESSAGE_END' },
  { type: 'THINKING_TEXT_MESSAGE_START' },
  { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'Second.' },
  { type: 'THINKING_TEXT_MESSAGE_END' },
  { type: 'THINKING_END' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'Nice.' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
  finished('r1'),
]

/** A server whose calls start agents, one of them nested and one failed. Two agents share a call. */
export const agents: readonly Event[] = [
  started('r1'),
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'delegate', parentMessageId: 'm1' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"task":"Find it.","description":"Find"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c1' },
  {
    type: 'SUBAGENT_STARTED',
    subagentRunId: 's1',
    name: 'finder',
    parentToolCallId: 'c1',
    parentMessageId: 'm1',
  },
  { type: 'TEXT_MESSAGE_START', messageId: 'm2', role: 'assistant', subagentRunId: 's1' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta: 'Looking.' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm2' },
  { type: 'TOOL_CALL_START', toolCallId: 'c2', toolCallName: 'agent', subagentRunId: 's1' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c2', delta: '{"prompt":"Deeper.","subagent_type":"digger"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c2' },
  {
    type: 'SUBAGENT_STARTED',
    subagentRunId: 's2',
    name: 'digger',
    parentToolCallId: 'c2',
    parentSubagentRunId: 's1',
  },
  { type: 'SUBAGENT_ERROR', subagentRunId: 's2', message: 'Too deep.' },
  { type: 'TOOL_CALL_RESULT', messageId: 'm3', toolCallId: 'c2', content: 'Too deep.' },
  { type: 'SUBAGENT_STARTED', subagentRunId: 's3', name: 'finder', parentToolCallId: 'c1' },
  { type: 'SUBAGENT_FINISHED', subagentRunId: 's3', outcome: { type: 'suspended' } },
  { type: 'SUBAGENT_FINISHED', subagentRunId: 's1', result: 'Found.' },
  { type: 'TOOL_CALL_RESULT', messageId: 'm4', toolCallId: 'c1', content: 'Found it.' },
  finished('r1'),
  started('r2'),
  { type: 'SUBAGENT_STARTED', subagentRunId: 's3', name: 'finder', parentToolCallId: 'c1' },
  { type: 'SUBAGENT_FINISHED', subagentRunId: 's3' },
  { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'finder', parentToolCallId: 'c1' },
  finished('r2', { outcome: { type: 'cancelled' } }),
]

const approve = {
  id: 'i1',
  reason: 'tool_call',
  message: 'Delete it?',
  toolCallId: 'c1',
  metadata: { options: [{ id: 'yes', label: 'Yes' }] },
}

/** A server that asks before a call, and goes on in the next run. */
export const interrupts: readonly Event[] = [
  started('r1'),
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'delete' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"path":"a"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c1' },
  finished('r1', {
    outcome: {
      type: 'interrupt',
      interrupts: [approve, { id: 'i2', reason: 'input_required', metadata: { options: 7 } }],
    },
  }),
  started(
    'r2',
    input('r2', [], {
      resume: [{ interruptId: 'i1', status: 'resolved', payload: { optionId: 'yes', comment: 'Go on.' } }],
    }),
  ),
  { type: 'TOOL_CALL_RESULT', messageId: 'm1', toolCallId: 'c1', content: 'Deleted.' },
  finished('r2', {
    outcome: { type: 'interrupt', interrupts: [{ id: 'i3', reason: 'confirmation', responseSchema: {} }] },
  }),
  started(
    'r3',
    input('r3', [], {
      resume: [
        { interruptId: 'i3', status: 'cancelled' },
        { interruptId: 'no', status: 'resolved' },
      ],
    }),
  ),
  { type: 'RUN_ERROR', message: 'Overloaded.', code: 'busy' },
]

/** A server that sends snapshots of its messages and of its state, and activities of its own. */
export const snapshots: readonly Event[] = [
  started('r1'),
  {
    type: 'STATE_SNAPSHOT',
    snapshot: { todos: [{ title: 'a' }, 'b', { content: 'c', done: true }, 7], 'x/y': { '~': [1] } },
  },
  { type: 'REASONING_MESSAGE_START', messageId: 'm0', role: 'reasoning' },
  { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'm0', encryptedValue: 'x' },
  { type: 'REASONING_MESSAGE_END', messageId: 'm0' },
  {
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'p1',
    activityType: 'PLAN',
    content: { title: 'Plan', steps: ['a'] },
  },
  {
    type: 'ACTIVITY_DELTA',
    messageId: 'p1',
    activityType: 'PLAN',
    patch: [{ op: 'add', path: '/steps/-', value: 'b' }],
  },
  { type: 'ACTIVITY_SNAPSHOT', messageId: 'p1', activityType: 'PLAN', content: {}, replace: false },
  { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'Helo.' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
  { type: 'TOOL_CALL_START', toolCallId: 'c0', toolCallName: 'gone' },
  {
    type: 'STATE_DELTA',
    delta: [
      { op: 'test', path: '/x~1y/~0/0', value: 1 },
      { op: 'remove', path: '/todos/0' },
      { op: 'replace', path: '/todos/0', value: { text: 'B', status: 'in_progress' } },
      { op: 'copy', from: '/x~1y', path: '/copy' },
      { op: 'move', from: '/copy/~0/0', path: '/moved' },
    ],
  },
  { type: 'STATE_DELTA', delta: [{ op: 'remove', path: '/nothing' }] },
  {
    type: 'MESSAGES_SNAPSHOT',
    messages: [
      { id: 's1', role: 'developer', content: 'Be brief.' },
      user,
      {
        id: 'm1',
        role: 'assistant',
        content: 'Hello.',
        toolCalls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } }],
      },
      { id: 'm2', role: 'tool', toolCallId: 'c1', content: '', error: 'No.' },
      {
        id: 'm3',
        role: 'assistant',
        toolCalls: [{ id: 'c2', type: 'function', function: { name: 'ls', arguments: '' } }],
      },
    ],
  },
  finished('r1'),
]

/** A client that joins in the middle of a run. */
export const late: readonly Event[] = [...plain.slice(4, 6), ...plain.slice(9)]

export const streams: Readonly<Record<string, readonly Event[]>> = {
  plain,
  chunks,
  legacy,
  agents,
  interrupts,
  snapshots,
  late,
}
