import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../src/entries/index.ts'

describe('what waits in an input may have the next wait for it', () => {
  // Calls within calls overflowed the stack.
  it('agents of Claude Code that name each other', () => {
    const count = 5_000
    const ofAgent = (at: number) =>
      JSON.stringify({
        type: 'user',
        sessionId: 's',
        isSidechain: true,
        agentId: `a${at}`,
        uuid: `u${at}`,
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `t${at + 1}`, content: 'done' }],
        },
        toolUseResult: { agentId: `a${at + 1}`, status: 'completed' },
      })
    const last = JSON.stringify({
      type: 'user',
      sessionId: 's',
      uuid: 'last',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't0', content: 'done' }] },
      toolUseResult: { agentId: 'a0', status: 'completed' },
    })
    const lines = Array.from({ length: count }, (_, at) => ofAgent(at))
    const { subagents } = parseTranscript('claude-sdk', [...lines, last].join('\n'))
    expect(subagents).toHaveLength(count + 1)
  })

  it('sessions of OpenCode that name each other', () => {
    const count = 1_500
    const call = (at: number) => ({
      id: `p${at}`,
      sessionID: `s${at}`,
      messageID: `m${at}`,
      type: 'tool',
      tool: 'task',
      callID: `c${at}`,
      state: { status: 'running', input: { prompt: 'Go.' }, metadata: { sessionId: `s${at + 1}` } },
    })
    const lines = Array.from({ length: count }, (_, at) =>
      JSON.stringify({ type: 'message.part.updated', properties: { part: call(at) } }),
    )
    expect(parseTranscript('opencode', lines.join('\n')).subagents).toHaveLength(count)
  })
})

it('a message may have 50,000 blocks', () => {
  const content = Array.from({ length: 50_000 }, (_, at) => ({ type: 'text', text: `${at}` }))
  const state = parseTranscript(
    'claude-sdk',
    JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm', content } }),
  )
  expect(state.blocks).toHaveLength(50_000)
  expect(state.blocks.at(-1)).toMatchObject({ id: 'm:49999', content: '49999' })
})

// Each rewind collected the ids of all abandoned blocks again: 4,000 took ten seconds.
it('a session may have 8,000 rewinds to its beginning', () => {
  const lines = Array.from({ length: 8_000 }, (_, at) =>
    JSON.stringify({
      type: 'user',
      sessionId: 's',
      parentUuid: null,
      isSidechain: false,
      uuid: `u${at}`,
      message: { role: 'user', content: `Prompt ${at}` },
    }),
  )
  expect(parseTranscript('claude-sdk', lines.join('\n')).branches).toHaveLength(7_999)
})
