import { expect, it } from 'vitest'
import { redactAll } from '../../src/redaction/redactions.ts'
import { redactValue } from '../../src/redaction/session.ts'

const redact = (value: unknown) => redactValue(value, redactAll)
const secret = 'hunter2Secret9x'

it('hides what stands under the name of a secret, in lists and objects too', () => {
  const value = {
    password: secret,
    api_key: [secret, { value: secret, note: 'fine' }],
    token: { value: secret, none: null },
    secret: null,
  }
  expect(JSON.stringify(redact(value))).not.toContain('hunter2')
  expect(redact(value)).toMatchObject({
    api_key: [{}, { note: 'fine' }],
    token: { none: null },
    secret: null,
  })
})

it('hides the value beside the name of a secret, and keeps other values', () => {
  expect(JSON.stringify(redact({ name: 'password', value: secret }))).not.toContain('hunter2')
  expect(redact({ name: 'color', value: secret })).toEqual({ name: 'color', value: secret })
})

it('keeps numbers, placeholders and the bytes of images', () => {
  const image = { mimeType: 'image/png', data: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' }
  expect(redact({ max_tokens: 100, image })).toEqual({ max_tokens: 100, image })
  const placeholder = { token: '<your-token>' }
  expect(redact(placeholder)).toEqual(placeholder)
})
