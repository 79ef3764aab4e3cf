import { describe, expect, it } from 'vitest'
import { detectArchitecture, readTranscript, type TranscriptError } from '../../src/entries/index.ts'

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

describe('lines of nobody', () => {
  it.each<[string, unknown]>([
    ['a type of Claude Code', { type: 'mode', sessionId: 's1' }],
    ['another type of Claude Code', { type: 'queue-operation', sessionId: 's1', text: 'Go.' }],
    ['a type of Codex', { type: 'turn.started' }],
    ['an item', { type: 'item.completed', item: {} }],
    ['a type of AG-UI', { type: 'RUN_STARTED', at: 1 }],
    ['a type of Pi', { type: 'agent_end', messages: [] }],
    ['a role of Kimi Code', { role: 'meta', type: 'note' }],
    ['an export of Segment', { type: 'track', event: 'Signed in', properties: { plan: 'free' } }],
    ['a type of OpenCode', { type: 'session.idle', properties: {} }],
  ])('have no program by a type alone: %s', (_, line) => {
    expect(detectArchitecture(lines(line))).toBeUndefined()
    expect(errorOf(lines(line))?.code).toBe('not-a-transcript')
  })
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
