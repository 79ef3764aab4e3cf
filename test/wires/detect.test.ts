import { expect, it } from 'vitest'
import { detectArchitecture, parseTranscript } from '../../src/entries/index.ts'
import { finalAnswer, init, toText, turnResult, userMessage, withUuids } from './claude/messages.ts'

const line = (value: unknown): string => `${JSON.stringify(value)}\n`
const stream = withUuids([init, userMessage('Go.'), finalAnswer, turnResult()])

it.each<[string, string]>([
  ['a log', line({ type: 'info', message: 'started', uuid: 'u1' })],
  ['a log whose type is one of Claude Code', line({ type: 'system', message: 'started' })],
  ['a log of messages', line({ type: 'user', message: 'signed in', uuid: 'u1' })],
  [
    'a prompt of Qwen Code',
    line({ type: 'user', uuid: 'u1', sessionId: 's', message: { role: 'user', parts: [] } }),
  ],
  ['telemetry of Qwen Code', line({ type: 'system', uuid: 'u1', sessionId: 's', systemPayload: {} })],
  ['an error of Codex, which any program may write', line({ type: 'error', message: 'stream disconnected' })],
  [
    'a request of MCP',
    line({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }),
  ],
  ['a response of MCP', line({ jsonrpc: '2.0', id: 0, result: { content: [] } })],
  ['a message of a language server', line({ jsonrpc: '2.0', method: 'window/logMessage', params: {} })],
])('lines of another program have no architecture: %s', (_, raw) => {
  expect(detectArchitecture(raw)).toBeUndefined()
})

it('finds ACP in its messages, with and without a log', () => {
  const update = { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } }
  const message = { jsonrpc: '2.0', method: 'session/update', params: update }
  const start = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } }
  for (const raw of [update, message, start, { dir: 'in', at: 5, msg: message }])
    expect(detectArchitecture(line(raw))).toBe('acp')
})

it('finds OpenCode in an event with and without its wrapper', () => {
  const event = { type: 'session.idle', properties: { sessionID: 's' } }
  expect(detectArchitecture(line(event))).toBe('opencode')
  expect(detectArchitecture(line({ directory: '/srv/demo', payload: event }))).toBe('opencode')
})

// Programs of the SDK collect a stream's messages in a list, and store that.
it.each([0, 2])(
  'a JSON list of Claude Code’s messages is read like lines, with an indentation of %i',
  (indentation) => {
    const list = JSON.stringify(stream, null, indentation)
    expect(detectArchitecture(list)).toBe('claude-sdk')
    expect(parseTranscript('claude-sdk', list)).toEqual(parseTranscript('claude-sdk', toText(stream)))
  },
)
