import { expect, it } from 'vitest'
import { parseTranscript } from '../../../../src/wires/transcript.ts'

/** Returns a connection with this prompt, and an answer that begins with the same parts. */
function connection(content: readonly object[]): string {
  const updates = content.map((part) => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: part },
    },
  }))
  const prompt = {
    jsonrpc: '2.0',
    id: 1,
    method: 'session/prompt',
    params: { sessionId: 's1', prompt: content },
  }
  const end = { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } }
  return [prompt, ...updates, end].map((message) => JSON.stringify(message)).join('\n')
}

it.each<[string, object, object, string]>([
  [
    'an image',
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    'image/png',
  ],
  [
    'an image somewhere else',
    { type: 'image', uri: 'https://a.example/a.png' },
    { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } },
    'https://a.example/a.png',
  ],
  [
    'an image without a type and bytes',
    { type: 'image' },
    { type: 'image', source: { type: 'base64', mediaType: 'application/octet-stream', data: '' } },
    'application/octet-stream',
  ],
  [
    'a link with a name',
    { type: 'resource_link', uri: 'file:///srv/demo/a.md', name: 'a.md' },
    { type: 'file', source: { type: 'url', url: 'file:///srv/demo/a.md' }, name: 'a.md' },
    'a.md',
  ],
  [
    'a link without a name and an address',
    { type: 'resource_link' },
    { type: 'file', source: { type: 'url', url: '' } },
    '',
  ],
  [
    'the bytes of a file',
    { type: 'resource', resource: { blob: 'AAAA', uri: 'file:///a.bin' } },
    {
      type: 'file',
      source: { type: 'base64', mediaType: 'application/octet-stream', data: 'AAAA' },
      name: 'file:///a.bin',
    },
    'file:///a.bin',
  ],
  [
    'the address of a text',
    { type: 'resource', resource: { uri: 'file:///a.md' } },
    { type: 'text', text: 'file:///a.md' },
    'file:///a.md',
  ],
  ['nothing of a resource', { type: 'resource', resource: {} }, { type: 'text', text: '' }, ''],
])('a part of a message is %s', (_, part, read, words) => {
  const text = { type: 'text', text: 'See ' }
  const { blocks } = parseTranscript('acp', connection([text, part]))
  expect(blocks[0]).toMatchObject({ type: 'user_message' })
  const content: unknown = blocks[0]?.type === 'user_message' ? blocks[0].content : undefined
  expect(
    Array.isArray(content) ? content.at(-1) : { type: 'text', text: String(content).slice('See '.length) },
  ).toEqual(read)
  expect(blocks.find(({ type }) => type === 'assistant_text')).toMatchObject({ content: `See ${words}` })
})
