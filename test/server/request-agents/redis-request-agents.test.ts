import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedisRequestAgents, type RedisConnection } from '../../../src/entries/redis.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from '../log/faults/redis-server.ts'
import type { GatewayTask } from './gateway-process.ts'

const ask = (content = 'Hello') => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })

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

  it('gives a failed request its agent again, and none to another tenant', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'retry', newId: () => crypto.randomUUID() })
    const open = await agents.begin({ messages: [ask()] })
    expect(await agents.failed(open)).toBe(true)
    const other = createRedisRequestAgents(client, { tenant: 'retry}', newId: () => crypto.randomUUID() })
    expect((await other.begin({ messages: [ask()] })).agentId).not.toBe(open.agentId)
    expect((await agents.begin({ messages: [ask()] })).agentId).toBe(open.agentId)
  })

  it('frees the agent of a request that is open for too long, and takes no late answer for it', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'late', openMs: 30 })
    const open = await agents.begin({ messages: [ask()] })
    await new Promise((resolve) => setTimeout(resolve, 60))
    const again = await agents.begin({ messages: [ask()] })
    expect(again.agentId).toBe(open.agentId)
    expect(await agents.answered(open, answer('late'))).toBe(false)
    expect(await agents.answered(again, answer('A'))).toBe(true)
  })

  it('forgets a tenant, and refuses none', async () => {
    const agents = createRedisRequestAgents(client, { tenant: 'gone' })
    await agents.failed(await agents.begin({ messages: [ask()] }))
    await agents.delete()
    expect(await client.sendCommand(['KEYS', 'agentfold:agents:{gone}*'])).toEqual([])
    expect(() => createRedisRequestAgents(client, { tenant: '' })).toThrow(TypeError)
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
