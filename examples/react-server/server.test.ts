import { createServer, type Server } from 'node:http'
import type { SessionEvent } from 'agentfold'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { listen } from '../listen.ts'
import { handle, publish, restart } from './server.ts'

let server: Server
let url = ''
beforeAll(async () => {
  server = createServer(handle)
  url = await listen(server)
})
afterAll(() => {
  server?.close()
  server?.closeAllConnections()
})
beforeEach(restart)

it.each(['', 'favicon.ico', 'event', '/', 'events/1'])('answers /%s with 404', async (path) => {
  expect((await fetch(url + path)).status).toBe(404)
})

it('cuts the connection of a slow page, and gives the page the rest when it connects again', async () => {
  const slow = await fetch(`${url}events?after=0`)
  for (let at = 0; at < 10; at += 1) publish(longText(`b${at}`))
  await expect(slow.text()).rejects.toThrow()

  const again = await fetch(`${url}events`, { headers: { 'last-event-id': '9' } })
  const { value } = (await again.body?.getReader().read()) ?? {}
  expect(new TextDecoder().decode(value)).toMatch(/^id: 10\n/)
})

function longText(id: string): SessionEvent {
  return {
    type: 'block:upsert',
    block: { id, type: 'assistant_text', status: 'complete', content: 'x'.repeat(1_000_000) },
  }
}
