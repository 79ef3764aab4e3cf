import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '../listen.ts'
import { runAgent } from './agents.ts'
import { Gateway, gatewayServer } from './gateway.ts'
import type { Message } from './messages.ts'
import { modelServer } from './model.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Starts a gateway before a model API. */
async function start(model: Server): Promise<{ readonly gateway: Gateway; readonly url: string }> {
  const gateway = new Gateway(await listen(model))
  const server = gatewayServer(gateway, {})
  servers.push(model, server)
  return { gateway, url: await listen(server) }
}

/** A model that refuses every other request with the status 529. */
function busyModel(): Server {
  let count = 0
  return createServer((_, response) => {
    count += 1
    const answer = { content: [{ type: 'text', text: 'Yes.' }], usage: { input_tokens: 1, output_tokens: 1 } }
    response.writeHead(count % 2 === 1 ? 529 : 200).end(JSON.stringify(answer))
  })
}

const ask = (url: string, messages: readonly Message[], options: RequestInit = {}) => {
  const body = JSON.stringify({ model: 'model-1', system: 'You are the builder.', tools: [], messages })
  return fetch(`${url}v1/messages`, { ...options, method: 'POST', body })
}
const question: Message = { role: 'user', content: 'Is it red?' }
const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }
const statusesIn = ({ registry }: Gateway) => registry.agents.map(({ id, status }) => `${id} ${status}`)

describe('the gateway', () => {
  it('knows the agent of a request that failed and comes again', async () => {
    const { gateway, url } = await start(busyModel())
    for (const messages of [[question], [question, answer, question]]) {
      expect((await ask(url, messages)).status).toBe(502)
      expect(statusesIn(gateway)).toEqual(['agent-1 error'])
      expect((await ask(url, messages)).status).toBe(200)
      expect(statusesIn(gateway)).toEqual(['agent-1 complete'])
    }
  })

  it('knows the agents of twins, and of marked messages', async () => {
    const { gateway, url } = await start(modelServer(0))
    const done = { type: 'text', text: 'Done: Is it red?', cache_control: { type: 'ephemeral' } } as const
    const next = [question, { role: 'assistant', content: [done] }, question] as const
    for (const messages of [[question], [question], next, next, next]) await ask(url, messages)
    expect(statusesIn(gateway)).toEqual(['agent-1 complete', 'agent-2 complete', 'agent-3 complete'])
    expect(gateway.registry.agents.map(({ usage }) => usage.earlier.messages)).toEqual([1, 1, 0])
  })

  it.each<[string, readonly (string | number)[]]>([
    ['{', []],
    ['', []],
    ['null', []],
    ['7', []],
    ['[]', ['system']],
    ['{"messages":[]}', ['system']],
    ['{"system":"","tools":{},"messages":[]}', ['tools']],
    ['{"system":"","tools":[null],"messages":[]}', ['tools', 0, 'name']],
    ['{"system":"","tools":[{"name":"a"},{"name":"a|b"}],"messages":[]}', ['tools', 1, 'name']],
    ['{"__proto__":{"messages":[]},"system":"","tools":[]}', ['messages']],
    ['{"system":"","tools":[],"messages":[null]}', ['messages', 0]],
    ['{"system":"","tools":[],"messages":[{"role":"user","content":[null]}]}', ['messages', 0]],
    ['{"system":"","tools":[],"messages":[{"role":"user","content":[{"type":"text"}]}]}', ['messages', 0]],
    [
      '{"system":"","tools":[],"messages":[{"role":"user","content":[{"type":"tool_use","id":"x","name":"Task","input":null}]}]}',
      ['messages', 0],
    ],
    ['{"system":"","tools":[],"messages":[{"role":"user","content":[[[]]]}]}', ['messages', 0]],
  ])('answers 400 to a body that is no request, says where, and goes on: %s', async (body, path) => {
    const { gateway, url } = await start(modelServer(0))
    const response = await fetch(`${url}v1/messages`, { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid-request', path })
    expect(statusesIn(gateway)).toEqual([])
    expect((await ask(url, [question])).status).toBe(200)
  })

  it('refuses a body that is nested too deep, and one that would fill the memory', async () => {
    const { gateway, url } = await start(modelServer(0))
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const body = `{"system":"","tools":[],"messages":[{"role":"user","content":[{"type":"x","a":${deep}}]}]}`
    for (const [text, status, code] of [
      [body, 400, 'too-deep'],
      [' '.repeat(34_000_000), 413, 'too-large'],
    ] as const) {
      const response = await fetch(`${url}v1/messages`, { method: 'POST', body: text })
      expect(await response.json()).toMatchObject({ code })
      expect(response.status).toBe(status)
    }
    expect(statusesIn(gateway)).toEqual([])
    expect((await ask(url, [question])).status).toBe(200)
  })

  it('goes on after a request that breaks off', async () => {
    const { url } = await start(modelServer(0))
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{')
    await once(socket, 'connect')
    socket.destroy()
    expect((await ask(url, [question])).status).toBe(200)
  })

  it('reports a client that hangs up', async () => {
    const { gateway, url } = await start(createServer(() => {}))
    const client = new AbortController()
    const asked = ask(url, [question], { signal: client.signal })
    await expect.poll(() => statusesIn(gateway)).toEqual(['agent-1 streaming'])
    client.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => statusesIn(gateway)).toEqual(['agent-1 error'])
  })

  it('forgets agents that are over, with their conversations', async () => {
    const { gateway, url } = await start(modelServer(0))
    expect(await runAgent(url, 'reader', 'Read.')).toBe('Done: Read.')
    await ask(url, [question])
    gateway.forget(Date.now() - 60_000)
    expect(statusesIn(gateway)).toEqual(['agent-1 complete', 'agent-2 complete'])
    gateway.forget(Date.now() + 60_000)
    expect(statusesIn(gateway)).toEqual([])
    await ask(url, [
      question,
      { role: 'assistant', content: [{ type: 'text', text: 'Done: Is it red?' }] },
      question,
    ])
    expect(statusesIn(gateway)).toEqual(['agent-3 complete'])
  })
})
