import { expect, it } from 'vitest'
import { onlySession } from '../../../src/cli/serve/serve-session.ts'

// An address with the token twice gave the session too.
it.each([
  ['/token/events/session', 200],
  ['/token/token/events/session', 404],
  ['/token/events/session/', 404],
  ['/token/events/other', 404],
  ['/events/session', 404],
])('answers for one address alone: %s', async (path, status) => {
  const hub = { fetch: async () => new Response('') }
  expect((await onlySession(hub).fetch(new Request(`http://127.0.0.1${path}`))).status).toBe(status)
})
