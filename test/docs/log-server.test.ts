import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listen } from '../../examples/listen.ts'
import { createSyncState, receive, restore } from '../../src/sync/index.ts'
import { examples, ROOT } from './pages.ts'

const RECORDING = join(ROOT, 'fixtures/claude-code/03-tools/stream.ndjson')
const example = examples.find(({ page, code }) => page === 'docs/logs.md' && code.includes('startServer'))
const folder = mkdtempSync(join(import.meta.dirname, '.example-'))

let server: Server
let url = ''
beforeAll(async () => {
  server = await startServer()
  url = await listen(server)
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
  server?.close()
  server?.closeAllConnections()
})

/** Runs the example of `docs/logs.md`, and then its server once more. */
async function startServer(): Promise<Server> {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'example', RECORDING])
  writeFileSync(
    join(folder, 'example.ts'),
    `${example?.code}\nexport const { server } = await startServer()\n`,
  )
  return (await import(join(folder, 'example.ts'))).server
}

it('a server with a log sends its state, and the later events with their numbers', async () => {
  const taken = restore(await (await fetch(`${url}snapshot`)).json())
  expect(taken.state.blocks).toHaveLength(17)
  const body = (await fetch(`${url}events?after=${taken.seq - 1}`)).body?.pipeThrough(new TextDecoderStream())
  const [id, data] = (await body?.getReader().read())?.value?.split('\n') ?? []
  expect(id).toBe(`id: ${taken.seq}`)
  const received = receive(
    createSyncState({ ...taken, seq: taken.seq - 1 }),
    JSON.parse(data?.slice('data: '.length) ?? ''),
  )
  expect(received).toMatchObject({ events: [{ type: 'session:idle' }], issues: [] })
})

it.each([
  ['favicon.ico', 404],
  ['event', 404],
  ['/', 404],
  ['events?after=abc', 400],
  ['events?after=-1', 400],
  ['events?after=1.5', 400],
  ['events?after=99999', 410],
])('a server with a log refuses /%s with %i, and goes on', async (path, status) => {
  expect((await fetch(url + path)).status).toBe(status)
  expect((await fetch(`${url}snapshot`)).status).toBe(200)
})
