import { describe, expect, it } from 'vitest'
import {
  anySource,
  createReader,
  detectArchitecture,
  readTranscript,
  type TranscriptError,
} from '../../src/entries/index.ts'

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')

function errorOf(raw: string): TranscriptError | undefined {
  try {
    readTranscript(raw)
    return undefined
  } catch (error) {
    return error as TranscriptError
  }
}

const prompt = { type: 'user', message: { role: 'user', content: 'Go.' } }
const reply = {
  type: 'assistant',
  message: { role: 'assistant', id: 'm1', content: [{ type: 'text', text: 'Done.' }] },
}
const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'Done.' }

describe('an input whose lines fit one wire, without a proof', () => {
  it.each([
    ['lines of a test', lines(prompt, reply, result)],
    ["an SDK's list of messages", JSON.stringify([prompt, reply, result], null, 2)],
  ])('is read with an issue: %s', (_, raw) => {
    const { events, issues } = readTranscript(raw)
    expect(issues).toEqual([{ code: 'unproven-format', count: 3 }])
    const texts = events.flatMap((event) =>
      event.type === 'block:upsert' && 'content' in event.block ? [event.block.content] : [],
    )
    expect(texts).toEqual(['Go.', 'Done.'])
    expect(detectArchitecture(raw)).toBeUndefined()
  })

  // The output of a test's fake program was unknown to a hub, and the same lines in a file were read.
  it('is read at the end of a stream too', () => {
    const reader = createReader(anySource)
    for (const message of [prompt, reply, result]) expect(reader.push(message).events).toEqual([])
    const { events, issues, ending } = reader.end()
    const { events: expected, ...rest } = readTranscript(lines(prompt, reply, result))
    expect(events).toEqual(expected)
    expect({ issues, ending }).toEqual(rest)
  })

  it('is unknown at the end of a stream if two wires fit, or one line fits none', () => {
    const ids = { uuid: 'u1', session_id: 's1', parent_tool_use_id: null }
    for (const messages of [
      [
        { ...prompt, ...ids },
        { ...result, ...ids },
      ],
      [prompt, reply, { type: 'tool_call', subtype: 'started' }],
    ]) {
      const { session } = anySource.read(anySource.open(), messages)
      const end = anySource.end(session)
      expect(end).toMatchObject({ events: [], ending: 'open' })
      expect(end.session.state).toBe(session.state)
      expect(end.issues.map(({ code }) => code)).toEqual(messages.map(() => 'unknown-message'))
    }
  })

  it('is refused if two wires fit, and the error names both', () => {
    const ids = { uuid: 'u1', session_id: 's1', parent_tool_use_id: null }
    const error = errorOf(lines({ ...prompt, ...ids }, { ...result, ...ids }))
    expect(error?.code).toBe('not-a-transcript')
    expect(error?.message).toMatch(/claude-sdk and qwen.*--format/)
  })

  it('is refused if one line does not fit', () => {
    expect(errorOf(lines(prompt, reply, { type: 'tool_call', subtype: 'started' }))?.code).toBe(
      'not-a-transcript',
    )
  })

  it('is refused if no line is part of a conversation', () => {
    expect(errorOf(lines(result))?.code).toBe('not-a-transcript')
  })
})

// Each was once named after a program, for the name of a type or a field that others have too.
it.each<[string, unknown]>([
  ['a type of Claude Code', { type: 'mode', sessionId: 's1' }],
  ['another type of Claude Code', { type: 'queue-operation', sessionId: 's1', text: 'Go.' }],
  ['a type of Codex', { type: 'turn.started' }],
  ['an item', { type: 'item.completed', item: {} }],
  ['a type of AG-UI', { type: 'RUN_STARTED', at: 1 }],
  ['a type of Pi', { type: 'agent_end', messages: [] }],
  ['a type of Gemini CLI', { type: 'init', session_id: 's1', model: 'm1' }],
  ['a role of Kimi Code', { role: 'meta', type: 'note' }],
  ['an export of Segment', { type: 'track', event: 'Signed in', properties: { plan: 'free' } }],
  ['a type of OpenCode', { type: 'session.idle', properties: {} }],
  ['an event with a dot', { type: 'page.viewed', properties: { sessionID: 's1' } }],
  ['a part without a type', { type: 'text', sessionID: 's1', part: {} }],
  ['information with messages', { info: { title: 'Sign-ups', version: '1' }, messages: [{ type: 'track' }] }],
  [
    'information with an id',
    { info: { id: 'x', time: { created: 1 } }, messages: [{ id: 'm', text: 'Go.' }] },
  ],
  ['the mode of a page', { type: 'mode', mode: 'dark', sessionId: 's1' }],
  ['another queue', { type: 'queue-operation', operation: 'push', sessionId: 's1' }],
  ['a guest of a chat', { type: 'attachment', uuid: 'u1', sessionId: 's1', userType: 'guest' }],
  ['a snapshot', { type: 'file-history-snapshot', snapshot: {} }],
  ['the start of a session', { type: 'session.start', id: '1', timestamp: '2026', parentId: null, data: {} }],
  ['a login', { type: 'user.login', id: '1', timestamp: '2026', parentId: null, data: {} }],
  ['the head of a file', { type: 'session_meta', payload: {} }],
  ['an entry', { timestamp: '2026', type: 'event_msg', payload: { type: 'login' } }],
  ['a turn of an API', { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 2 } }],
  ['a turn that failed', { type: 'turn.failed', error: { message: 'No.' } }],
  ['an item of a shop', { type: 'item.updated', item: { id: '1', type: 'shirt' } }],
  ['a step of a build', { type: 'STEP_STARTED', stepName: 'build' }],
  ['a run of a build', { type: 'RUN_FINISHED', runId: 'r1', status: 'ok' }],
  ['an event of anybody', { type: 'CUSTOM', messages: ['Go.'] }],
  ['a state', { type: 'STATE_SNAPSHOT', snapshot: {} }],
  ['a message of an admin', { type: 'message', message: { role: 'admin', timestamp: 5 } }],
  ['a change of a model', { type: 'model_change', id: '1', parentId: null, timestamp: '2026' }],
  ['a note with a version', { role: 'meta', type: 'note', version: '1' }],
  ['a use of a tool', { type: 'tool_use', tool_name: 'x', tool_id: '1', parameters: {} }],
  ['a change of a database', { $set: { lastUpdated: '2026', name: 'x' } }],
  ['a sign', { type: 'gemini', id: '1', timestamp: '2026' }],
  ['a result of MCP', { jsonrpc: '2.0', id: 1, result: { role: 'assistant', stopReason: 'endTurn' } }],
  ['a step of a machine', { step_index: 1, source: 'SYSTEM', type: 'BOOT' }],
  ['an event of a team', { ts: '2026', type: 'team_event', event: {} }],
])('lines of nobody have no program by a type alone: %s', (_, line) => {
  expect(detectArchitecture(lines(line))).toBeUndefined()
  expect(errorOf(lines(line))?.code).toBe('not-a-transcript')
})

it('is not named while it is read, once a line shows a program that no wire reads', () => {
  const init = {
    type: 'system',
    subtype: 'init',
    session_id: 's1',
    uuid: 'u1',
    apiKeySource: 'none',
    tools: ['Bash'],
  }
  const { session } = anySource.read(anySource.open(), [{ ...init, qodercli_version: '1.0.0' }])
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: {} }
  const next = {
    ...reply,
    session_id: 's1',
    uuid: 'u2',
    parent_tool_use_id: null,
    message: { ...reply.message, content: [call] },
  }
  expect(anySource.read(session, [next]).session.state.session.program).toBeUndefined()
  expect(anySource.read(anySource.open(), [init, next]).session.state.session.program).toBe('claude-code')
})

describe('Qoder, which writes the lines of Claude Code', () => {
  const ids = { uuid: 'u1', sessionId: 's1', parentUuid: null, userType: 'external', version: '1.0.0' }

  it.each<[string, readonly unknown[]]>([
    [
      'a file',
      [
        { type: 'runtime-config', sessionId: 's1', contextWindow: 1 },
        { ...prompt, ...ids },
      ],
    ],
    [
      'a reply that counts credits',
      [
        { ...prompt, ...ids },
        { ...reply, ...ids, message: { ...reply.message, usage: { credits: 0.1 } } },
      ],
    ],
  ])('is not named after Claude Code: %s', (_, values) => {
    expect(detectArchitecture(lines(...values))).toBeUndefined()
    expect(errorOf(lines(...values))?.code).toBe('not-a-transcript')
  })
})
