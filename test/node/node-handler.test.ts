import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../examples/listen.ts'
import { createSessionHub, type SessionHub } from '../../src/hub/index.ts'
import { readTranscript, sessionStatus } from '../../src/index.ts'
import { createFileLog } from '../../src/log/index.ts'
import { followSession, nodeHandler } from '../../src/node/index.ts'
import { connectSession } from '../../src/sync/index.ts'

const RECORDING = await readFile('fixtures/claude-code/03-tools/stream.ndjson', 'utf8')
const whole = readTranscript('claude-sdk', RECORDING)

const servers: Server[] = []
const stop = async (server: Server) => {
  const closed = once(server, 'close')
  server.close().closeAllConnections()
  await closed
}
afterEach(() => Promise.all(servers.splice(0).map(stop)))

async function serve(hub: Pick<SessionHub, 'fetch'>, port = 0, onError?: (error: unknown) => void) {
  const server = createServer(nodeHandler(hub, onError ? { onError } : {}))
  if (port > 0) {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const url = port > 0 ? `http://127.0.0.1:${port}/` : await listen(server)
  servers.push(server)
  return { server, url, port: Number(new URL(url).port) }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-hub-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

it('serves a session in files over HTTP, through a restart on the same port', async () => {
  const folder = await temporaryFolder()
  const half = Math.floor(whole.events.length / 2)
  const first = createFileLog(folder)
  const hub = createSessionHub({ log: first })
  const { server, url, port } = await serve(hub)
  await hub.publish('a/b', whole.events.slice(0, half))
  const connection = connectSession(`${url}sessions/a%2Fb`)
  await expect.poll(() => connection.store.flush().blocks.length).toBeGreaterThan(0)
  await stop(server)
  await first.close()
  servers.length = 0
  await expect.poll(() => connection.status).toBe('lost')

  const log = createFileLog(folder)
  const again = createSessionHub({ log })
  await serve(again, port)
  await again.publish('a/b', whole.events.slice(half))
  await expect.poll(() => sessionStatus(connection.store.flush()), { timeout: 10_000 }).toBe('finished')
  expect(connection.status).toBe('live')
  expect(connection.store.flush().blocks).toHaveLength(17)
  const ids: string[] = []
  for await (const id of log.sessions()) ids.push(id)
  expect(ids).toEqual(['a/b'])
  connection.close()
  await log.close()
})

it('follows a file, and shows the new session after it was written anew', async () => {
  const path = join(await temporaryFolder(), 'session.ndjson')
  const lines = RECORDING.split(/(?<=\n)/)
  await writeFile(path, lines.slice(0, 30).join(''))
  const hub = createSessionHub()
  const { url } = await serve(hub)
  const ending = new AbortController()
  const following = (async () => {
    for await (const update of followSession(path, { signal: ending.signal })) await hub.publish('s', update)
  })()
  const connection = connectSession(`${url}s`)
  const blocks = () => connection.store.flush().blocks.length
  await expect.poll(blocks).toBeGreaterThan(1)
  await writeFile(path, lines.slice(0, 3).join(''))
  await expect.poll(() => sessionStatus(connection.store.flush()), { timeout: 10_000 }).toBe('running')
  await writeFile(path, RECORDING)
  await expect.poll(blocks, { timeout: 10_000 }).toBe(17)
  connection.close()
  ending.abort()
  await following
})

it('waits for a slow reader, and stops when the reader has gone', async () => {
  let sent = 0
  let isCancelled = false
  const piece = new Uint8Array(1_000_000)
  const fetchAnswer = async () => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      sent += 1
      controller.enqueue(piece)
    }
    const cancel = () => {
      isCancelled = true
    }
    return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }))
  }
  const { url } = await serve({ fetch: fetchAnswer })
  const reader = (await fetch(url)).body?.getReader()
  await reader?.read()
  await expect
    .poll(async () => {
      const before = sent
      await new Promise((resolve) => setTimeout(resolve, 50))
      return sent - before
    })
    .toBe(0)
  expect(sent).toBeLessThan(50)
  await reader?.cancel()
  await expect.poll(() => isCancelled).toBe(true)
})

it('answers 500 for a handler that fails, cuts a response that has begun, and reports both', async () => {
  const errors: unknown[] = []
  const broken = () => {
    throw new RangeError('too late')
  }
  const answers = [
    async () => new Response(new ReadableStream({ pull: broken })),
    async () => Promise.reject(new RangeError('at once')),
  ]
  const { url } = await serve({ fetch: () => answers.pop()?.() ?? Promise.reject() }, 0, (error) =>
    errors.push(String(error)),
  )
  expect((await fetch(url)).status).toBe(500)
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
  expect(errors).toEqual(['RangeError: at once', 'RangeError: too late'])
})

it('passes on the method, the address and the headers', async () => {
  const seen: unknown[] = []
  const { url, port } = await serve({
    fetch: async ({ method, url: asked, headers }) => {
      seen.push(method, asked, headers.get('x-token'))
      return new Response(null, { status: 204, headers: { 'x-answer': 'yes' } })
    },
  })
  const response = await fetch(`${url}a%2Fb?c=1`, { method: 'DELETE', headers: { 'x-token': 't' } })
  expect([response.status, response.headers.get('x-answer')]).toEqual([204, 'yes'])
  expect(seen).toEqual(['DELETE', `http://127.0.0.1:${port}/a%2Fb?c=1`, 't'])
})
