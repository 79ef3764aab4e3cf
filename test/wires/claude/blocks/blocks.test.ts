import { describe, expect, it } from 'vitest'
import { ofType } from '../../recordings.ts'
import { assistantMessage, modelCalls, readStream, text, toolResult } from '../messages.ts'

it('thinking is empty and marked as redacted if the provider hides it', () => {
  const { state } = readStream(assistantMessage('m1', { type: 'redacted_thinking', data: 'b3BhcXVl' }))
  expect(state.blocks).toMatchObject([{ type: 'thinking', id: 'm1:0', content: '', redacted: true }])
})

it('a tool call may be a call of a provider’s or an MCP server’s tool', () => {
  const { state } = readStream(
    assistantMessage('m1', {
      type: 'server_tool_use',
      id: 's1',
      name: 'web_search',
      input: { query: 'q' },
    }),
    assistantMessage('m1', { type: 'mcp_tool_use', id: 's2', name: 'ask', input: {} }),
  )
  expect(ofType(state, 'tool_use').map(({ toolName }) => toolName)).toEqual(['web_search', 'ask'])
})

describe('a tool result', () => {
  it.each<[string, unknown, unknown]>([
    ['a string unchanged', 'out', 'out'],
    ['a single text as a string', [text('out')], 'out'],
    ['several parts unchanged', [text('a'), text('b')], [text('a'), text('b')]],
    [
      'a reference to a tool',
      [{ type: 'tool_reference', tool_name: 'Send' }],
      [{ type: 'tool_reference', tool_name: 'Send' }],
    ],
    [
      'an image',
      [{ type: 'image', source: { type: 'base64' } }],
      [{ type: 'image', source: { type: 'base64' } }],
    ],
    ['no content as an empty string', undefined, ''],
    ['a bare string in a list', ['out'], 'out'],
  ])('has %s', (_, content, output) => {
    const { state, issues } = readStream(modelCalls('m1', 't1'), toolResult('t1', content))
    expect(ofType(state, 'tool_result')[0]?.output).toEqual(output)
    expect(issues).toEqual([])
  })

  it('has the tool’s duration if the program states it', () => {
    const { state } = readStream(
      modelCalls('m1', 't1'),
      toolResult('t1', '', { tool_use_result: { durationMs: 12 } }),
    )
    expect(ofType(state, 'tool_result')[0]?.durationMs).toBe(12)
  })
})
