import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { geminiSource } from '../../src/entries/gemini.ts'
import type { SessionConversationState } from '../../src/entries/index.ts'
import { piSource } from '../../src/entries/pi.ts'
import { qwenSource } from '../../src/entries/qwen.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { messagesOf } from '../wires/messages-in.ts'
import { recordedForms } from './recordings.ts'

// A file that is followed never ends: Pi, Gemini CLI and Qwen Code showed `running` for ever after the last answer.

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const forms = [...recordedForms(FIXTURES)].filter(({ form }) => /store$|^tui$/.test(form))

const wasCut = ({ turn, subagents }: SessionConversationState) =>
  [turn, ...subagents].some(({ openBlocks }) => openBlocks !== undefined)

describe.each(forms)('$recording, $form', ({ architecture, raw }) => {
  it('has its last status before the end of the input, if nothing was cut', () => {
    const source = loadedSourceOf(architecture)
    const { session } = source.read(source.open(), messagesOf(architecture, raw))
    const ended = source.end(session).session.state
    if (!wasCut(ended)) expect(session.state.turn).toEqual(ended.turn)
  })
})

it('has many turns that end in a file', () => {
  expect(forms.length).toBeGreaterThan(60)
})

const at = (second: number) => `2026-11-25T10:00:0${second}.000Z`

describe('work behind an answer in a file', () => {
  it('goes on with the turn of a reply of Pi that failed, and of its retry', () => {
    const entry = (second: number, message: object) => ({
      type: 'message',
      id: `e${second}`,
      parentId: second === 0 ? null : `e${second - 1}`,
      message: { timestamp: Date.parse(at(second)), ...message },
    })
    const text = [{ type: 'text', text: 'Done.' }]
    const lines = [
      entry(0, { role: 'user', content: 'Go' }),
      entry(1, { role: 'assistant', content: [], stopReason: 'error', errorMessage: '529 overloaded' }),
      entry(2, { role: 'assistant', content: text, stopReason: 'stop' }),
    ]
    const failed = piSource.read(piSource.open(), lines.slice(0, 2)).session
    expect(failed.state.turn).toMatchObject({ status: 'failed', startedAt: at(0) })
    const { turn } = piSource.read(failed, lines.slice(2)).session.state
    expect(turn).toEqual({ status: 'finished', startedAt: at(0), endedAt: at(2), durationMs: 2000 })
  })

  it('is not over with a reply of Pi that has calls, whatever its stop reason says', () => {
    const entry = (second: number, message: object) => ({
      type: 'message',
      id: `e${second}`,
      parentId: second === 0 ? null : `e${second - 1}`,
      message: { timestamp: Date.parse(at(second)), ...message },
    })
    const call = { type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'ls' } }
    const result = { role: 'toolResult', toolCallId: 't', toolName: 'bash', content: [], isError: false }
    const lines = [
      entry(0, { role: 'user', content: 'Go' }),
      entry(1, { role: 'assistant', content: [call], stopReason: 'stop' }),
      entry(2, result),
      entry(3, { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop' }),
    ]
    const statuses = lines.map((_, index) => {
      const { session } = piSource.read(piSource.open(), lines.slice(0, index + 1))
      return session.state.turn.status
    })
    expect(statuses).toEqual(['running', 'running', 'running', 'finished'])
  })

  it('goes on with the turn of a text of Gemini CLI whose calls come later', () => {
    const reply = { type: 'gemini', id: 'r', timestamp: at(1), content: 'Reading.', thoughts: [] }
    const call = {
      id: 'read__1',
      name: 'read_file',
      args: {},
      status: 'success',
      timestamp: at(2),
      result: [],
    }
    const text = geminiSource.read(geminiSource.open(), [
      { sessionId: 's', projectHash: 'p', startTime: at(0), lastUpdated: at(0), kind: 'main' },
      { type: 'user', id: 'u', timestamp: at(0), content: [{ text: 'Go' }] },
      reply,
    ]).session
    expect(text.state.turn).toMatchObject({ status: 'finished', startedAt: at(0), endedAt: at(1) })
    const { turn } = geminiSource.read(text, [{ ...reply, toolCalls: [call] }]).session.state
    expect(turn).toEqual({ status: 'running', startedAt: at(0) })
  })

  it('begins another turn with the next prompt of Qwen Code', () => {
    const record = (uuid: string, second: number, role: string, more: object) => ({
      uuid,
      parentUuid: null,
      sessionId: 's',
      timestamp: at(second),
      type: role === 'user' ? 'user' : 'assistant',
      provenance: 'x',
      message: { role, parts: [{ text: uuid }] },
      ...more,
    })
    const tokens = { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } }
    const first = qwenSource.read(qwenSource.open(), [
      record('1', 0, 'user', {}),
      record('2', 1, 'model', tokens),
    ]).session
    expect(first.state.turn).toMatchObject({ status: 'finished', endedAt: at(1) })
    const { turn } = qwenSource.read(first, [record('3', 5, 'user', {})]).session.state
    expect(turn).toEqual({ status: 'running', startedAt: at(5) })
  })
})
