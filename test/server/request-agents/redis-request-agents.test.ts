import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { totalTokens } from '../../../src/entries/index.ts'
import { buildAgentTree, type ModelMessage } from '../../../src/entries/lineage.ts'
import {
  createRedisRequestAgents,
  type RedisConnection,
  type RedisRequestAgents,
} from '../../../src/entries/redis.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from '../log/faults/redis-server.ts'
import type { GatewayTask } from './gateway-process.ts'

const ask = (content = 'Hello') => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })
const statusesIn = async (agents: RedisRequestAgents) =>
  (await agents.registry()).agents.map(({ id, status }) => `${id} ${status}`)

interface Reply {
  readonly call: number
  readonly agentId: string
  readonly isBegun?: true
  readonly isKept?: boolean
}

describe.skipIf(skipReason)(`the agents of requests in Redis ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let client: RedisConnection
  let program = ''
  beforeAll(async () => {
    server = await startRedis()
    client = await connectTo(server.url)
    program = join(process.cwd(), 'node_modules/.faults', `gateway-${process.pid}.mjs`)
    await build({
      entryPoints: [join(import.meta.dirname, 'gateway-process.ts')],
      outfile: program,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'es2022',
    })
  })
  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  // The processes of several tests have one tenant.
  beforeEach(async () => void (await client.sendCommand(['FLUSHDB'])))

  it('gives twins two agents, and each goes on with its own', async () => {
    const [one, two] = ['a', 'b'].map(() => createRedisRequestAgents(client, { tenant: 'twins' }))
    if (!one || !two) throw new Error('two gateways')
    const first = await one.begin({ messages: [ask()] })
    const second = await two.begin({ messages: [ask()] })
    expect([first.agentId, second.agentId]).toEqual(['agent-1', 'agent-2'])
    await one.answered(first, answer('A'))
    await two.answered(second, answer('B'))
    const next = async (text: string) =>
      (await one.begin({ messages: [ask(), answer(text), ask('Go on')] })).agentId
    expect([await next('B'), await next('A')]).toEqual(['agent-2', 'agent-1'])
  })

  it('gives two users of a tenant two agents, although their requests are equal', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'users' })
    for (const user of ['ann', 'bo'])
      await agents.answered(await agents.begin({ messages: [ask()] }, { user }), answer('A'))
    const messages = [ask(), answer('A'), ask('Go on')]
    expect((await agents.begin({ messages }, { user: 'bo' })).agentId).toBe('agent-2')
    expect((await agents.begin({ messages }, { user: 'ann' })).agentId).toBe('agent-1')
  })

  it('gives a failed request its agent again, and none to another tenant', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'retry', newId: () => crypto.randomUUID() })
    const open = await agents.begin({ messages: [ask()] })
    expect(await agents.failed(open)).toBe(true)
    const other = createRedisRequestAgents(client, { tenant: 'retry}', newId: () => crypto.randomUUID() })
    expect((await other.begin({ messages: [ask()] })).agentId).not.toBe(open.agentId)
    expect((await agents.begin({ messages: [ask()] })).agentId).toBe(open.agentId)
  })

  it('counts the answer of a gateway that slept, unless another request has its agent', async () => {
    const awake = createRedisRequestAgents(client, { tenant: 'late' })
    for (const isTaken of [false, true]) {
      const open = await openLapsed('late', String(isTaken))
      expect(await statusesIn(awake)).toContain(`${open.agentId} error`)
      const again = isTaken ? await awake.begin(open.request) : undefined
      if (again) expect(again.agentId).toBe(open.agentId)
      expect(await open.answered(answer('A'))).toBe(!isTaken)
      expect(await statusesIn(awake)).toContain(`${open.agentId} ${isTaken ? 'streaming' : 'complete'}`)
      if (again) expect(await awake.answered(again, answer('A'))).toBe(true)
      const next = await awake.begin({ messages: [...open.request.messages, answer('A'), ask('Go on')] })
      expect(next.agentId).toBe(open.agentId)
    }
  })

  // The registry had the failure alone, or Redis knew the lost gateway still as open.
  it.each([
    ['failed', {}],
    ['lost', {}],
    ['failed', { headers: { 'x-claude-code-session-id': 'session' } }],
    ['lost', { headers: { 'x-claude-code-session-id': 'session' } }],
  ])('counts an answer whose request came again and %s', async (end, options) => {
    const agents = createRedisRequestAgents(client, { tenant: 'again' })
    const open = await openLapsed('again', 'x', options)
    const again = end === 'failed' ? await agents.begin(open.request, options) : undefined
    if (again) expect(await agents.failed(again)).toBe(true)
    else await openLapsed('again', 'x', options)
    const usage = { input_tokens: 10, output_tokens: 2 }
    expect(await open.answered({ ...answer('A'), usage })).toBe(true)
    expect((await agents.registry()).agents).toMatchObject([
      { id: open.agentId, status: 'complete', inputTokens: 10 },
    ])
  })

  it.each([{}, { headers: { 'x-claude-code-session-id': 'session' } }])(
    'knows nothing of a deleted tenant after a late answer: %j',
    async (options) => {
      const agents = createRedisRequestAgents(client, { tenant: 'gone' })
      const open = await agents.begin({ messages: [ask()] }, options)
      await agents.delete()
      expect(await agents.answered(open, answer('A'))).toBe(false)
      expect((await agents.registry()).agents).toEqual([])
    },
  )

  /** A request of a gateway whose timers stand still. */
  async function openLapsed(
    tenant: string,
    words: string,
    options: Parameters<RedisRequestAgents['begin']>[1] = {},
  ) {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const agents = createRedisRequestAgents(client, { tenant, leaseMs: 20 })
    const open = await agents.begin({ messages: [ask(words)] }, options)
    vi.useRealTimers()
    await new Promise((resolve) => setTimeout(resolve, 40))
    return {
      ...open,
      answered: (message: ModelMessage & { readonly usage?: unknown }) => agents.answered(open, message),
    }
  }

  it('forgets a tenant, and refuses none', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'gone' })
    await agents.failed(await agents.begin({ messages: [ask()] }))
    await agents.delete()
    expect(await client.sendCommand(['KEYS', 'agentfold:agents:{gone}*'])).toEqual([])
    expect(() => createRedisRequestAgents(client, { tenant: '' })).toThrow(TypeError)
  })

  it('shows each process the agents of all, with who started whom', async () => {
    const [one, two] = [0, 1].map(() => createRedisRequestAgents(client, { tenant: 'tree' }))
    if (!one || !two) throw new Error('two gateways')
    const start = { subagent_type: 'reader', prompt: 'Read the log.' }
    const call = { type: 'tool_use', id: 'call_1', name: 'Task', input: start }
    const parent = await one.begin(
      { system: 'You build.', messages: [ask()] },
      { facts: { name: 'builder' } },
    )
    const usage = { input_tokens: 10, output_tokens: 2 }
    await one.answered(parent, { role: 'assistant', content: [call], usage })
    const child = await two.begin({ system: 'You read.', messages: [ask('Read the log.')] })
    const [tree] = buildAgentTree(await one.registry())
    expect(tree).toMatchObject({
      name: 'builder',
      status: 'success',
      children: [{ conversationId: child.agentId, name: 'reader', status: 'running', lineage: 'child' }],
    })
    expect(tree && totalTokens(tree)).toMatchObject({ inputTokens: 10, outputTokens: 2 })
    await two.failed(child)
    const registry = await two.registry()
    expect(registry).toEqual(await one.registry())
    expect(await two.registry()).toBe(registry)
  })

  it('takes the ids that a client sends', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'ids' })
    const main = { 'x-claude-code-session-id': 'session-1' }
    const begin = (headers: Record<string, string>, words: string) =>
      agents.begin({ messages: [ask(words)] }, { headers })
    const open = await begin(main, 'Go')
    expect(open.agentId).toBe('session-1')
    await agents.answered(open, answer('A'))
    await begin({ ...main, 'x-claude-code-agent-id': 'agent-x' }, 'Read')
    // A compacted conversation is another text, and the same agent.
    expect((await begin(main, 'In short')).agentId).toBe('session-1')
    expect((await agents.registry()).agents).toMatchObject([
      { id: 'session-1', status: 'streaming', isMain: true },
      { id: 'agent-x', parentAgentId: 'session-1' },
    ])
  })

  it('shows that a gateway was killed, and that another one still waits', async () => {
    // A busy machine keeps a sign of life back for a second.
    const leaseMs = 2000
    const agents = createRedisRequestAgents(client, { tenant: 'test', leaseMs })
    const follower = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const { agents: all } of agents.follow({ signal: follower.signal }))
        seen.push(all.map(({ status }) => status).join())
    })()
    const slow = await agents.begin({ messages: [ask('Slow')] })
    const child = fork(program, [server.url, String(leaseMs)])
    child.send({ call: 1, conversation: 'killed', turns: 1, hangs: true })
    await once(child, 'message')
    await vi.waitFor(() => expect(seen.at(-1)).toBe('streaming,streaming'))
    // It gives signs of life for as long as it lives.
    await new Promise((resolve) => setTimeout(resolve, 2 * leaseMs))
    expect(await statusesIn(agents)).toEqual(['agent-1 streaming', 'agent-2 streaming'])
    child.kill('SIGKILL')
    await vi.waitFor(() => expect(seen.at(-1)).toBe('streaming,error'), { timeout: 20_000 })
    await agents.answered(slow, answer('At last'))
    await vi.waitFor(() => expect(seen.at(-1)).toBe('complete,error'))
    follower.abort()
    await following
    await agents.delete()
  })

  /** Each of the conversations fails that many times. It makes two events. */
  async function failOften(agents: RedisRequestAgents, times: number): Promise<void> {
    const words = Array.from({ length: 50 }, (_, at) => `${at}`)
    for (let time = 0; time < times; time += 1) {
      await Promise.all(
        words.map(async (each) => agents.failed(await agents.begin({ messages: [ask(each)] }))),
      )
      await agents.registry()
    }
  }

  it('keeps Redis small, and each reader right', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'many' })
    const early = createRedisRequestAgents(client, { tenant: 'many' })
    await early.begin({ messages: [ask('First')] })
    await early.registry()
    await failOften(agents, 40)
    // The events since the snapshot before the last one.
    expect(Number(await client.sendCommand(['XLEN', 'agentfold:agents:{many}:events']))).toBeLessThan(2200)
    const late = createRedisRequestAgents(client, { tenant: 'many' })
    const registry = await late.registry()
    expect(registry.agents).toHaveLength(51)
    for (const each of [agents, early]) expect(await each.registry()).toEqual(registry)
  })

  it('forgets trees that are over, and keeps those that run', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'forgetful', treeMs: 0 })
    const open = await agents.begin({ messages: [ask('Slow')] })
    await failOften(agents, 10)
    const ids = (await agents.registry()).agents.map(({ id }) => id)
    expect(ids).toContain(open.agentId)
    expect(ids.length).toBeLessThan(51)
  })

  it('begins anew with a Redis that has lost its data', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'lost' })
    await agents.begin({ messages: [ask('Before')] })
    await agents.begin({ messages: [ask('Too')] })
    expect(await statusesIn(agents)).toHaveLength(2)
    await agents.delete()
    expect(await statusesIn(agents)).toEqual([])
    await agents.begin({ messages: [ask('After')] })
    expect(await statusesIn(agents)).toEqual(['agent-1 streaming'])
  })

  it('keeps 1,000 interleaved requests of three processes apart, two of which are killed', async () => {
    const gateways: ChildProcess[] = []
    const replies = new Map<number, (reply: Reply) => void>()
    const start = (): ChildProcess => {
      const child = fork(program, [server.url])
      child.on('message', (reply: Reply) => replies.get(reply.call)?.(reply))
      return child
    }
    for (let each = 0; each < 3; each += 1) gateways.push(start())
    const agentsOf = new Map<string, Set<string>>()
    const conversations = Array.from({ length: 200 }, (_, at) => `c${at}`)
    let call = 0
    let lost = 0
    const request = async (conversation: string, turns: number): Promise<void> => {
      call += 1
      const own = call
      const child = gateways[own % 3]
      const done = new Promise<Reply | undefined>((resolve) => {
        replies.set(own, (reply) => {
          if (reply.isKept !== undefined) resolve(reply)
          else note(conversation, reply.agentId)
        })
        child?.once('exit', () => resolve(undefined))
      })
      const task: GatewayTask = { call: own, conversation, turns }
      if (child?.connected) child.send(task, () => {})
      const reply = await done
      if (reply) return
      // The client asks another gateway.
      lost += 1
      return request(conversation, turns)
    }
    const note = (conversation: string, agentId: string): void => {
      agentsOf.set(agentId, (agentsOf.get(agentId) ?? new Set()).add(conversation))
    }
    const kill = async (at: number): Promise<void> => {
      const child = gateways[at]
      gateways[at] = start()
      child?.kill('SIGKILL')
    }
    for (let turns = 1; turns <= 5; turns += 1) {
      const running = conversations.map((conversation) => request(conversation, turns))
      if (turns === 2 || turns === 4) await kill(turns % 3)
      await Promise.all(running)
    }
    for (const child of gateways) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    expect(call - lost).toBe(1000)
    const shared = [...agentsOf].filter(([, owners]) => owners.size > 1)
    expect(shared).toEqual([])
    // Without a kill each conversation has one agent. A killed request may cost its conversation a new one.
    expect(agentsOf.size).toBeGreaterThanOrEqual(200)
    expect(agentsOf.size).toBeLessThanOrEqual(200 + lost)
  }, 60_000)
})
