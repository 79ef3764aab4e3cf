import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, it, vi } from 'vitest'
import { listen } from '../../examples/listen.ts'
import { createSyncState, receive, restore } from '../../src/sync/index.ts'
import { examples, ROOT } from './pages.ts'

const RECORDING = join(ROOT, 'fixtures/claude-code/03-tools/stream.ndjson')
const example = examples.find(({ page, code }) => page === 'docs/logs.md' && code.includes('startServer'))
const folder = mkdtempSync(join(import.meta.dirname, '.example-'))

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
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
  const server = await startServer()
  const url = await listen(server)
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
  server.close()
  server.closeAllConnections()
})
