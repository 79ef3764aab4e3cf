import { expect, it } from 'vitest'
import type { UserContentPart } from '../../src/core/state/content.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../src/entries/index.ts'
import { redactAll } from '../../src/redaction/redactions.ts'
import { redactSession } from '../../src/redaction/session.ts'

const SECRET = 'hunter2Secret9'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const file = base64(`# Grüße\nDB_PASSWORD=${SECRET}\n`)
const hidden = base64('# Grüße\nDB_PASSWORD=[secret]\n')

function attached(...content: readonly UserContentPart[]) {
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'block:upsert', block: { id: 'p', type: 'user_message', status: 'complete', content } },
  ])
  const [block] = redactSession(state, redactAll).blocks
  return block?.type === 'user_message' ? block.content : undefined
}

// The page and its JSON had the bytes of the file, and so the key.
it.each(['text/plain', 'application/json', 'application/octet-stream', ''])(
  'hides secrets in an attached text file of the type %j',
  (mediaType) => {
    const of = (data: string) => ({ type: 'file', source: { type: 'base64', mediaType, data } }) as const
    expect(attached(of(file))).toEqual([of(hidden)])
  },
)

it.each(['data:text/plain;base64,', 'data:text/plain;charset=utf-8;base64,', 'data:;base64,'])(
  'hides secrets in a file that is an address: %s',
  (head) => {
    const of = (data: string) => ({ type: 'file', source: { type: 'url', url: head + data } }) as const
    expect(attached(of(file))).toEqual([of(hidden)])
  },
)

it.each(['data', 'blob'])('hides secrets in the file of a result, in %s', (field) => {
  const of = (data: string) => [{ resource: { uri: 'a', mimeType: 'text/plain', [field]: data } }]
  const state = (output: unknown) =>
    reduceSessionEvents(createInitialConversationState(), [
      {
        type: 'block:upsert',
        block: { id: 'r', type: 'tool_result', toolUseId: 't', status: 'complete', isError: false, output },
      },
    ])
  for (const [output, shown] of [
    [of(file), of(hidden)],
    [of(`PASSWORD=${SECRET}`), of('PASSWORD=[secret]')],
  ])
    expect(redactSession(state(output), redactAll)).toEqual(state(shown))
})

it('keeps files without a secret, and bytes that are no text', () => {
  const bytes = Buffer.from([0x89, 0xff, 0x00, ...Buffer.from(`PASSWORD=${SECRET}`)]).toString('base64')
  const parts: readonly UserContentPart[] = [
    { type: 'file', source: { type: 'base64', mediaType: 'text/plain', data: base64('Hello.') } },
    { type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: bytes } },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: file } },
    { type: 'image', source: { type: 'url', url: `data:image/png;base64,${file}` } },
    { type: 'file', source: { type: 'base64', mediaType: 'text/plain', data: 'no base64!' } },
  ]
  expect(attached(...parts)).toEqual(parts)
})
