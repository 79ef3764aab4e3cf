import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSilent, type Socket } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { asArray, asObject, parseJson } from '../../src/core/json/values.ts'
import type { AgentNode } from '../../src/entries/index.ts'
import type { ModelMessage } from '../../src/entries/lineage.ts'
import { entry } from '../../tsup.config.ts'
import { type RedisServer, skipReason, startRedis } from '../server/log/faults/redis-server.ts'
import { examples, ROOT } from './pages.ts'

const [example] = examples.filter(({ code }) => code.includes('createRedisRequestAgents('))
const LEASE_MS = 600

describe.skipIf(skipReason)(`the gateway of the docs ${skipReason ?? ''}`, () => {
  const program = join(ROOT, 'node_modules/.faults', `docs-gateway-${process.pid}.mjs`)
  let redis: RedisServer
  let model: Server
  beforeAll(async () => {
    redis = await startRedis()
    model = createServer(answer).listen(0, '127.0.0.1')
    await once(model, 'listening')
    await build({
      stdin: {
        contents:
          example?.code.replace("tenant: 'acme'", `tenant: process.env.TENANT, leaseMs: ${LEASE_MS}`) ?? '',
        loader: 'ts',
        resolveDir: ROOT,
      },
      outfile: program,
      bundle: true,
      packages: 'external',
      alias: Object.fromEntries(
        Object.entries(entry).flatMap(([name, path]) =>
          name === 'index' ? [] : [[`agentfold/${name}`, join(ROOT, path)]],
        ),
      ),
      platform: 'node',
      format: 'esm',
      target: 'es2022',
      logLevel: 'silent',
    })
  })
  afterAll(async () => {
    model.close().closeAllConnections()
    rmSync(program, { force: true })
    await redis.stop()
  })

  it('has at most 40 lines of its own', () => {
    const isOwn = (line: string) => line.trim() !== '' && !line.startsWith('import ')
    expect(example?.code.split('\n').filter(isOwn).length).toBeLessThanOrEqual(40)
  })

  // The next request went through another process before the first one knew the answer, and was a new agent.
  it('knows a streamed answer before its client does, although the connection stays open', async () => {
    const [one, two] = await Promise.all([start('five'), start('five')])
    const messages = [{ role: 'user', content: 'Stay open.' }]
    const open = await post(one.url, messages)
    expect(open.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    let text = ''
    for await (const piece of open.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      if (text.includes('message_stop')) break
    }
    const said = { role: 'assistant', content: [{ type: 'text', text: 'It is red.' }] }
    await post(two.url, [...messages, said, { role: 'user', content: 'Go on.' }])
    expect(await statusesIn(two.url)).toEqual([expect.stringMatching('agent-1 ')])
  })

  it('shows the agents of both processes in each, and that one was killed', async () => {
    const [one, two] = await Promise.all([start('one'), start('one')])
    const whole = await ask(one.url, 'Build it.')
    expect(await whole.text()).toContain('message_stop')
    await ask(two.url, 'Read the log.')
    // The model never answers that one.
    const broken = ask(one.url, 'Wait.').then((response) => response.text())
    broken.catch(() => {})
    await vi.waitFor(async () => {
      const trees = await Promise.all([one, two].map(({ url }) => statusesIn(url)))
      const all = ['agent-3 running', 'agent-1 success', 'agent-2 success']
      expect(trees).toEqual([all, all])
    }, 5000)
    one.child.kill('SIGKILL')
    await expect(broken).rejects.toThrow()
    await vi.waitFor(
      async () =>
        expect(await statusesIn(two.url)).toEqual(['agent-3 error', 'agent-1 success', 'agent-2 success']),
      5000,
    )
  })

  it('lets a request come again whose client has hung up', async () => {
    const { url } = await start('two')
    const client = new AbortController()
    await ask(url, 'Wait for me.', client.signal)
    const [running = ''] = await statusesIn(url)
    client.abort()
    const failed = running.replace('running', 'error')
    await vi.waitFor(async () => expect(await statusesIn(url)).toContain(failed), 5000)
    await ask(url, 'Wait for me.')
    expect((await statusesIn(url))[0]).toBe(running)
  })

  // A wrong request got an empty 502, and compressed bytes went on without their header.
  it('passes on what is no request, as it came', async () => {
    const { url } = await start('three')
    for (const body of ['', 'hello', '{}', `{"messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`]) {
      const refused = await fetch(`${url}/v1/messages`, { method: 'POST', body })
      expect([refused.status, await refused.text()]).toEqual([400, 'no encoding'])
    }
    const headers = { 'content-encoding': 'gzip' }
    const packed = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: gzipSync('{}') })
    expect(await packed.text()).toBe('gzip')
    expect(await statusesIn(url)).toEqual([])
  })

  // A new request waited for ever, and so did the end of an answer.
  it('answers although Redis never does', async () => {
    const sockets: Socket[] = []
    const silent = createSilent((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { url } = await run('four', `redis://127.0.0.1:${portOf(silent)}`)
    const whole = await vi.waitFor(() => ask(url, 'Read the log.'), 10_000)
    expect(await whole.text()).toContain('message_stop')
  })

  async function start(tenant: string): Promise<Gateway> {
    const gateway = await run(tenant, redis.url)
    await vi.waitFor(() => statusesIn(gateway.url), 10_000)
    return gateway
  }

  async function run(tenant: string, redisUrl: string): Promise<Gateway> {
    const port = await freePort()
    const env = {
      ...process.env,
      REDIS: redisUrl,
      MODEL: `http://127.0.0.1:${portOf(model)}`,
      PORT: String(port),
      TENANT: tenant,
    }
    const child = spawn(process.execPath, [program], { env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    return { child, url }
  }
})

interface Gateway {
  readonly child: ChildProcess
  readonly url: string
}

/** The model starts an agent, answers that agent, and begins a third answer that never ends. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  const prompt: unknown = asObject(asArray(asObject(parseJson(body)).messages)[0]).content
  if (typeof prompt !== 'string') {
    response.writeHead(400).end(request.headers['content-encoding'] ?? 'no encoding')
    return
  }
  const input = { subagent_type: 'reader', prompt: 'Read the log.' }
  const block =
    prompt === 'Build it.'
      ? { type: 'tool_use', id: 'call_1', name: 'Task', input }
      : { type: 'text', text: 'It is red.' }
  const events: readonly Readonly<Record<string, unknown>>[] = [
    { type: 'message_start', message: { role: 'assistant', usage: { input_tokens: 10 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'message_delta', usage: { output_tokens: 2 } },
    ...(prompt.startsWith('Wait') ? [] : [{ type: 'message_stop' }]),
  ]
  response.setHeader('content-type', 'text/event-stream').setHeader('set-cookie', ['a=1', 'b=2'])
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  if (!prompt.startsWith('Wait') && !prompt.startsWith('Stay')) response.end()
}

const ask = (url: string, content: string, signal?: AbortSignal) =>
  post(url, [{ role: 'user', content }], signal)

const post = (url: string, messages: readonly ModelMessage[], signal?: AbortSignal) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    ...(signal && { signal }),
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  })

/** Returns the agents of the tree, the newest root first. */
async function statusesIn(url: string): Promise<readonly string[]> {
  const tree: readonly AgentNode[] = await (await fetch(`${url}/tree`)).json()
  const all = (node: AgentNode): readonly AgentNode[] => [node, ...node.children.flatMap(all)]
  return tree.flatMap(all).map(({ conversationId, status }) => `${conversationId} ${status}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the server has no port')
  return address.port
}
