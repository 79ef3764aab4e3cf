import { describe, expect, it } from 'vitest'
import { findConversation, findSubagent, parseTranscript, readTranscript } from '../../src/entries/index.ts'
import { said } from './line.ts'

// Each of these took time with the square of its length, which is minutes here.
describe('a pattern over a text of any length is found, or not, in one pass', () => {
  const LONG = 4_000_000

  it('the folder of a skill', () => {
    const content = `Base directory for this skill: ${'a'.repeat(LONG)}`
    expect(
      said(JSON.stringify({ type: 'user', sessionId: 's', isMeta: true, message: { content } })),
    ).toEqual([content])
  })

  it('the report of an agent', () => {
    const call = { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Go.' } }
    const result = {
      type: 'tool_result',
      tool_use_id: 't',
      content: '[Subagent hand-back]\n'.repeat(LONG / 20),
    }
    const state = parseTranscript(
      'claude-sdk',
      [
        JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content: [call] } }),
        JSON.stringify({ type: 'user', session_id: 's', message: { content: [result] } }),
      ].join('\n'),
    )
    expect(findSubagent(state, 't')).toMatchObject({ status: 'success' })
  })

  it('the name of a model', () => {
    const model = '['.repeat(LONG)
    const { session } = parseTranscript(
      'claude-sdk',
      JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model }),
    )
    expect(session.model).toBe(model)
  })
})

it('numbers that no float holds leave an agent with its report', () => {
  const call = { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Go.' } }
  const content = `Report.\nduration_ms: ${'9'.repeat(400)}`
  const { events } = readTranscript(
    'claude-sdk',
    [
      JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content: [call] } }),
      JSON.stringify({
        type: 'user',
        session_id: 's',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] },
      }),
    ].join('\n'),
  )
  const completed = events.find(({ type }) => type === 'subagent:completed')
  expect(completed).toMatchObject({ output: content })
  expect(completed).not.toHaveProperty('durationMs')
})

it('figures whose sum no float holds leave the other figures', () => {
  const tokens = { input: 3, output: 1e308, reasoning: 1e308, cache: { read: 0, write: 0 } }
  const info = { id: 'm', sessionID: 's', role: 'assistant', tokens, time: { created: 1, completed: 2 } }
  const raw = [
    JSON.stringify({ type: 'session.created', properties: { sessionID: 's', info: { id: 's' } } }),
    JSON.stringify({ type: 'message.updated', properties: { sessionID: 's', info } }),
  ].join('\n')
  expect(parseTranscript('opencode', raw).usage).toMatchObject([{ inputTokens: 3 }])
})

describe.each(['__proto__', 'constructor', 'toString', '', 'x'.repeat(1_000_000)])(
  'an id like %.20s',
  (id) => {
    it('is an id like others of Claude Code: of a message, a call, an agent, a session', () => {
      const call = { type: 'tool_use', id, name: 'Task', input: { prompt: 'Go.' } }
      const raw = [
        { type: 'system', subtype: 'init', session_id: id },
        {
          type: 'assistant',
          session_id: id,
          uuid: id,
          message: { id, content: [{ type: 'text', text: 'Hi.' }, call] },
        },
        {
          type: 'assistant',
          session_id: id,
          parent_tool_use_id: id,
          message: { id, content: [{ type: 'text', text: 'Yo.' }] },
        },
        {
          type: 'user',
          session_id: id,
          message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'Done.' }] },
        },
      ]
      const state = parseTranscript('claude-sdk', raw.map((line) => JSON.stringify(line)).join('\n'))
      expect(state.session.id).toBe(id)
      expect(state.blocks[0]).toMatchObject({ id: `${id}:0`, content: 'Hi.' })
      expect(findConversation(state, id)).toMatchObject({ toolUseId: id, status: 'success', output: 'Done.' })
    })

    it('is an id like others of OpenCode', () => {
      const part = { id, sessionID: id, messageID: id, type: 'text', text: 'Hi.', time: { start: 1, end: 2 } }
      const raw = [
        { type: 'session.created', properties: { sessionID: id, info: { id } } },
        {
          type: 'message.updated',
          properties: { sessionID: id, info: { id, sessionID: id, role: 'assistant' } },
        },
        { type: 'message.part.updated', properties: { sessionID: id, part } },
      ]
      const state = parseTranscript('opencode', raw.map((line) => JSON.stringify(line)).join('\n'))
      expect(state.blocks).toMatchObject([{ id, content: 'Hi.' }])
    })
  },
)

it('no prototype has been changed', () => {
  for (const { prototype } of [Object, Array, Map, Function]) expect(Object.keys(prototype)).toEqual([])
})
