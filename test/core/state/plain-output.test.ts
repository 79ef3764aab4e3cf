import { expect, it } from 'vitest'
import { plainOutput } from '../../../src/core/state/content.ts'

const data = 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQ'
const url = `data:image/png;base64,${data}`
const PLAIN = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data } }
const PLACE = { type: 'image', source: { type: 'url', url: 'https://example.com/dot.png' } }

// A page showed the bytes of these images as text, because each program has another form for them.
it.each([
  ['Claude Code', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }, PLAIN],
  ['Codex', { type: 'input_image', image_url: url, detail: 'original' }, PLAIN],
  ['OpenCode', { id: 'prt_1', type: 'file', mime: 'image/png', url }, PLAIN],
  ['the Model Context Protocol', { type: 'image', data, mimeType: 'image/png' }, PLAIN],
  ['Cline', { type: 'image', data, mediaType: 'image/png' }, PLAIN],
  ['OpenAI', { type: 'image_url', image_url: { url } }, PLAIN],
  ['ACP', { type: 'content', content: { type: 'image', data, mimeType: 'image/png' } }, PLAIN],
  [
    'an embedded file',
    { type: 'resource', resource: { uri: 'a', mimeType: 'image/png', blob: data } },
    PLAIN,
  ],
  ['a prompt', PLAIN, PLAIN],
  ['a place', { type: 'image', source: { type: 'url', url: 'https://example.com/dot.png' } }, PLACE],
  ['a place of Codex', { type: 'input_image', image_url: 'https://example.com/dot.png' }, PLACE],
])('an image of a result has the form of an image in a prompt: %s', (_, part, plain) => {
  const text = { type: 'text', text: 'Seen.' }
  expect(plainOutput([text, part])).toEqual([text, plain])
})

// Servers of tools give the contents of a file as an embedded page. Its words were JSON.
it('the words of an embedded page are a text', () => {
  const page = { type: 'resource', resource: { uri: 'demo://page', mimeType: 'text/plain', text: 'Words.' } }
  expect(plainOutput([page, { type: 'text', text: 'More.' }])).toEqual([
    { type: 'text', text: 'Words.' },
    { type: 'text', text: 'More.' },
  ])
})

it.each([
  ['a text', 'Seen.'],
  ['a list of texts', [{ type: 'text', text: 'a' }, 'b']],
  ['a file that is no image', [{ type: 'file', mime: 'text/plain', url: 'data:text/plain;base64,YQ==' }]],
  ['an image without bytes', [{ type: 'image', mimeType: 'image/png' }]],
  ['bytes of another kind', [{ type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' }]],
  [
    'a document at a place',
    [{ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }],
  ],
  ['an image with a field of its own', [{ type: 'image', url: 'elsewhere' }]],
  ['a link to a page', [{ type: 'resource_link', uri: 'demo://other', name: 'other' }]],
  ['null', null],
])('any other output stays as it is: %s', (_, output) => {
  expect(plainOutput(output)).toBe(output)
})
