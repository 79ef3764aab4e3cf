import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../examples/listen.ts'
import { createSessionHub, type SessionHub } from '../../src/entries/hub.ts'
import { readTranscript, sessionStatus } from '../../src/entries/index.ts'
import { createFileLog, followSession, nodeHandler } from '../../src/entries/node.ts'
import { connectSession } from '../../src/entries/sync.ts'

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
  await expect.poll(() => sessionStatus(connection.store.flush())).toBe('finished')
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
  await expect.poll(() => sessionStatus(connection.store.flush())).toBe('running')
  await writeFile(path, RECORDING)
  await expect.poll(blocks).toBe(17)
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

// A page whose name leads to this computer passed the check of the host.
it.each([
  ['//localhost/s', 'http://evil.example//localhost/s'],
  ['/\\\\localhost/s', 'http://evil.example///localhost/s'],
  ['http://evil.example/s?a=1', 'http://evil.example/s?a=1'],
])('takes the host of GET %s from the header', async (target, expected) => {
  const seen: string[] = []
  const { port } = await serve({
    fetch: async ({ url }) => {
      seen.push(url)
      return new Response()
    },
  })
  expect(await ask(port, `GET ${target} HTTP/1.1\r\nHost: evil.example`)).toBe('HTTP/1.1 200')
  expect(seen).toEqual([expected])
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Sends the bytes of a request, and returns the beginning of the answer. */
function ask(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`, 'latin1'))
    socket.on('error', reject)
    socket.once('data', (data) => {
      resolve(data.toString('latin1').slice(0, 12))
      socket.destroy()
    })
  })
}

// Each of them was a failure of the server, with a warning in its log.
it.each([
  ['the address of another host', 'GET http://localhost/s HTTP/1.1\r\nHost: x'],
  ['the address of another scheme', 'GET https://x/s HTTP/1.1\r\nHost: x'],
  ['a host with a space', 'GET /s HTTP/1.1\r\nHost: a b'],
  ['a host that is a tag', 'GET /s HTTP/1.1\r\nHost: <b>'],
  ['a port that is too large', 'GET /s HTTP/1.1\r\nHost: x:99999'],
  ['a password in the host', 'GET /s HTTP/1.1\r\nHost: a:b@x'],
  ['a password in the address', 'GET http://a:b@x/s HTTP/1.1\r\nHost: x'],
  ['a method that web standards forbid', 'TRACE /s HTTP/1.1\r\nHost: x'],
])('answers 400 to a request with %s', async (_, head) => {
  const errors: unknown[] = []
  const { port } = await serve(createSessionHub(), 0, (error) => errors.push(error))
  expect(await ask(port, head)).toBe('HTTP/1.1 400')
  expect(await ask(port, 'OPTIONS * HTTP/1.1\r\nHost: x')).toBe('HTTP/1.1 405')
  expect(errors).toEqual([])
})

// The request was collected while its stream went on, and its signal with it: a followed file was followed for ever.
it('aborts the signal of a request whose reader goes away after a long time', async () => {
  let aborted = 0
  const hub = createSessionHub()
  const { url } = await serve({
    fetch: (request) => {
      request.signal.addEventListener('abort', () => {
        aborted += 1
      })
      return hub.fetch(request)
    },
  })
  const ending = new AbortController()
  const readers = await Promise.all(
    Array.from({ length: 10 }, async () => (await fetch(`${url}s`, ending)).body?.getReader()),
  )
  for (const reader of readers) await reader?.read()
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  ending.abort()
  await expect.poll(() => aborted).toBe(10)
})

it('cancels an answer that comes after its reader has gone', async () => {
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
  }
  const ending = new AbortController()
  const { url } = await serve({
    fetch: async ({ signal }) => {
      ending.abort()
      await once(signal, 'abort')
      return new Response(new ReadableStream({ cancel }))
    },
  })
  await expect(fetch(url, ending)).rejects.toThrow()
  await expect.poll(() => isCancelled).toBe(true)
})

it('serves HTTP/2', async () => {
  const hub = createSessionHub()
  await hub.publish('s', whole.events)
  const server = createHttp2Server(nodeHandler(hub))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = new URL(`http://127.0.0.1:${Object(server.address()).port}`)
  const client = connect(`http://127.0.0.1:${port}`)
  const stream = client.request({ ':path': '/sessions/s', authorization: 'a' })
  const [headers] = await once(stream, 'response')
  expect(headers).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream; charset=utf-8' })
  const [data] = await once(stream, 'data')
  expect(String(data)).toMatch(/^event: snapshot/)
  stream.close()
  client.destroy()
  server.close()
})

// The rejection of the handler itself ended the server, and the reader waited.
it.each([
  [
    'throws',
    () => {
      throw new Error('log')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('log'))],
])('answers 500 also if `onError` %s', async (_, onError) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warned.mockRestore())
  const { url } = await serve({ fetch: async () => Promise.reject(new Error('boom')) }, 0, onError)
  expect((await fetch(`${url}s`)).status).toBe(500)
  await expect.poll(() => warned.mock.calls).toEqual([['Error: log']])
})
