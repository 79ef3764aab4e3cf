import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { partsOf, runMcpServer } from '../../src/cli/commands/mcp-server.ts'
import { openSessionIndex } from '../../src/entries/node.ts'
import { assistantMessage, endTurn, modelCalls, text, toText, userMessage } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'

const { inFolder, file } = temporaryFolder()
const time = '2026-01-01T10:20:30.000Z'
const projects = join('home', '.claude', 'projects')
const key = `sk-ant-api03-${'a1B2'.repeat(23)}-abcdefAA`

const session = (id: string, cwd: string, prompt: string) =>
  toText(
    [
      userMessage(prompt),
      modelCalls('m1', 't1', 'Bash', { command: 'make tea' }),
      assistantMessage('m2', text(`Tea of ${id}. `.repeat(300)), {}, endTurn),
    ].map((message, at) => ({ uuid: `${id}-${at}`, ...message, timestamp: time, sessionId: id, cwd })),
  )

beforeAll(async () => {
  await file(join(projects, 'a', 'open1.jsonl'), session('open1', '/srv/open', `Boil water with ${key}`))
  await file(join(projects, 'b', 'hidden1.jsonl'), session('hidden1', '/srv/private/deep', 'Boil a secret'))
})

const stop: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of stop.splice(0)) await end()
})

/** Connects the client of the SDK to the server. */
async function connect(options: { readonly isRedacted?: boolean } = {}): Promise<Client> {
  const [own, other] = InMemoryTransport.createLinkedPair()
  const { signal } = new AbortController()
  const index = await openSessionIndex({ home: inFolder('home'), exclude: ['/srv/private'] })
  const running = runMcpServer({ index, isRedacted: true, ...options, signal }, other)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(own)
  stop.push(async () => {
    await client.close()
    await running
  })
  return client
}

async function ask(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return JSON.stringify(content)
}

describe('agentfold mcp', () => {
  it('has five tools that only read', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['get_changes', 'get_session', 'list_sessions', 'search_sessions', 'stats'],
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  })

  it('never answers for an excluded folder', async () => {
    const client = await connect()
    const answers = [
      await ask(client, 'list_sessions'),
      await ask(client, 'search_sessions', { text: 'boil' }),
      await ask(client, 'get_session', { session: 'hidden1' }),
      await ask(client, 'get_changes', { session: 'hidden1' }),
      await ask(client, 'stats', { by: 'project' }),
    ]
    expect(answers[0]).toContain('open1')
    expect(answers[1]).toContain('open1')
    for (const answer of answers) expect(answer).not.toMatch(/private|a secret/)
    expect(answers[2]).toContain('no session hidden1')
    expect(answers[4]).toContain('/srv/open')
  })

  it('hides secrets, also from a search', async () => {
    const client = await connect()
    expect(await ask(client, 'get_session', { session: 'open1' })).toContain('# Boil water with ')
    expect(await ask(client, 'search_sessions', { text: 'boil water' })).toContain('[key]')
    expect(await ask(client, 'search_sessions', { text: key.slice(0, 24) })).not.toContain('open1')
    for (const tool of ['list_sessions', 'get_session'])
      expect(await ask(client, tool, { session: 'open1' })).not.toContain(key)
    const open = await connect({ isRedacted: false })
    expect(await ask(open, 'search_sessions', { text: key.slice(0, 24) })).toContain(key)
  })

  it('returns a session in parts of a size', async () => {
    const client = await connect()
    const texts: string[] = []
    for (let part = 1; ; part += 1) {
      const answer = await ask(client, 'get_session', { session: 'OPEN', part, maxTokens: 200 })
      if (answer.includes('the session has')) break
      texts.push(answer)
    }
    expect(texts.length).toBeGreaterThan(3)
    expect(texts.join('')).toContain(`(part ${texts.length} of ${texts.length})`)
    for (const each of texts) expect(each.length).toBeLessThan(1_000)
  })

  it('reads no file that is no session of the list', async () => {
    const path = inFolder(projects, 'b', 'hidden1.jsonl')
    expect(await ask(await connect(), 'get_session', { session: path })).toContain('no session')
    expect(await ask(await connect(), 'get_session', { session: '' })).toContain('no session')
  })

  it('never repeats a long question', async () => {
    const client = await connect()
    const long = 'x'.repeat(100_000)
    for (const [tool, args] of [
      ['search_sessions', { text: long }],
      ['search_sessions', { text: '', input: long }],
      ['list_sessions', { since: long, cwd: long, program: long }],
      ['get_session', { session: long }],
      ['get_changes', { session: long }],
    ] as const)
      expect((await ask(client, tool, args)).length).toBeLessThan(1_000)
  })

  // `printf … | agentfold mcp` had no answer to a search.
  it('answers what is asked before the end of the input, but for what is cancelled', async () => {
    const [own, other] = InMemoryTransport.createLinkedPair()
    const index = await openSessionIndex({ home: inFolder('home') })
    const input = new EventEmitter()
    const { signal } = new AbortController()
    const running = runMcpServer({ index, isRedacted: true, signal }, other, input)
    const answers: unknown[] = []
    own.onmessage = (message) => answers.push('id' in message && message.id)
    await own.start()
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const call = { name: 'search_sessions', arguments: { text: 'boil' } }
    await own.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: client })
    await own.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    for (const id of [1, 2]) await own.send({ jsonrpc: '2.0', id, method: 'tools/call', params: call })
    await own.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    input.emit('end')
    await running
    expect(answers).toEqual([0, 1])
  })

  it('names the programs if none is called so', async () => {
    const answer = await ask(await connect(), 'list_sessions', { program: 'nope' })
    expect(answer).toContain('no program has that name: use claude-code, ')
  })

  it('cuts a document between lines, and loses nothing', () => {
    const document = `${'line\n'.repeat(50)}\n\n${'😀'.repeat(100)}`
    const parts = partsOf(document, 40)
    expect(parts.join('')).toBe(document)
    for (const part of parts) expect(() => encodeURIComponent(part)).not.toThrow()
  })
})
