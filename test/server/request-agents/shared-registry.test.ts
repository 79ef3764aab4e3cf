import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRedisRequestAgents, type RedisConnection } from '../../../src/entries/redis.ts'
import { SharedRegistry } from '../../../src/server/request-agents/shared-registry.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from '../log/faults/redis-server.ts'

const ask = (content = 'Hello') => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })

describe.skipIf(skipReason)(`the registry that several processes share ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let client: RedisConnection
  beforeAll(async () => {
    server = await startRedis()
    client = await connectTo(server.url)
  })
  afterAll(async () => {
    client.destroy()
    await server.stop()
  })
  const agentsOf = (tenant: string, options: { leaseMs?: number; treeMs?: number } = {}) =>
    createRedisRequestAgents(client, { tenant, ...options })
  const idsOf = async (agents: ReturnType<typeof agentsOf>) =>
    (await agents.registry()).agents.map(({ id, status, name }) => `${id} ${name} ${status}`)

  // It asked again and again for events that nobody had.
  it('comes although Redis has lost the events', async () => {
    await agentsOf('lost').begin({ messages: [ask()] })
    await client.sendCommand(['DEL', 'agentfold:agents:{lost}:events'])
    expect(await idsOf(agentsOf('lost'))).toEqual([])
  })

  it('has nothing of a tenant that was deleted, whoever has read it before', async () => {
    const [one, two] = [agentsOf('deleted'), agentsOf('deleted')]
    await one.begin({ messages: [ask('a')] }, { facts: { name: 'secret' } })
    await one.registry()
    await two.delete()
    await two.begin({ messages: [ask('b')] }, { facts: { name: 'new' } })
    await two.begin({ messages: [ask('c')] }, { facts: { name: 'newer' } })
    expect(await idsOf(one)).toEqual(['agent-1 new streaming', 'agent-2 newer streaming'])
    expect(await idsOf(one)).toEqual(await idsOf(two))
  })

  it('forgets the same trees in each process', async () => {
    const [one, two] = [agentsOf('trees', { treeMs: 0 }), agentsOf('trees', { treeMs: 0 })]
    for (let at = 0; at < 520; at += 1) {
      await one.failed(await one.begin({ messages: [ask(String(at))] }))
      if (at % 50 === 0) await Promise.all([one.registry(), two.registry()])
    }
    const ids = await idsOf(one)
    expect(ids.length).toBeLessThan(40)
    expect(await idsOf(two)).toEqual(ids)
    expect(await idsOf(agentsOf('trees', { treeMs: 0 }))).toEqual(ids)
  })

  it('does not count a late answer while another request has the agent of the headers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const sleepy = agentsOf('headers', { leaseMs: 20 })
    const headers = { 'x-claude-code-session-id': 's1' }
    const open = await sleepy.begin({ messages: [ask()] }, { headers })
    vi.useRealTimers()
    await pause(40)
    const awake = agentsOf('headers')
    await awake.begin({ messages: [ask()] }, { headers })
    expect(await sleepy.answered(open, answer('A'))).toBe(false)
    expect(await idsOf(awake)).toEqual(['s1 unknown streaming'])
  })

  it.each(['Hello', 'Name this.'])('counts both of two open requests of one id: %s', async (words) => {
    const agents = agentsOf(`both ${words}`)
    const headers = { 'x-claude-code-session-id': 's1' }
    const usage = { input_tokens: 10, output_tokens: 1 }
    const [one, two] = [
      await agents.begin({ messages: [ask()] }, { headers }),
      await agents.begin({ messages: [ask(words)] }, { headers }),
    ]
    await agents.answered(two, { ...answer('Tea'), usage })
    expect(await idsOf(agents)).toEqual(['s1 unknown streaming'])
    await agents.answered(one, { ...answer('A'), usage })
    expect((await agents.registry()).agents).toMatchObject([
      { status: 'complete', usage: { earlier: { inputTokens: 10 }, last: { inputTokens: 10 } } },
    ])
  })

  // A gateway was killed, and another one answered: the agent was `error` when the lease ended. Or it was `complete`
  // as soon as another one had answered equal words, although both lived.
  it.each([
    { words: 'Hello', end: 'complete' },
    { words: 'Another', end: 'complete' },
    { words: 'Failing', end: 'error' },
  ])('has the status of the last end that it knows: $words', async ({ words, end }) => {
    const [dead, alive] = [agentsOf(words), agentsOf(words)]
    const headers = { 'x-claude-code-session-id': 's1' }
    const killed = await dead.begin({ messages: [ask()] }, { headers })
    const deadlines = `agentfold:agents:{${words}}:deadlines`
    const ids = [await client.sendCommand(['ZRANGE', deadlines, '0', '-1'])].flat().map(String)
    const other = await alive.begin({ messages: [ask(words)] }, { headers })
    await (end === 'error' ? alive.failed(other) : alive.answered(other, answer('A')))
    expect(await idsOf(alive)).toEqual(['s1 unknown streaming'])
    for (const id of ids) await client.sendCommand(['ZADD', deadlines, 'XX', '0', id])
    expect(await idsOf(alive)).toEqual([`s1 unknown ${end}`])
    expect(await dead.answered(killed, answer('A'))).toBe(true)
    expect(await idsOf(alive)).toEqual(['s1 unknown complete'])
    expect(await client.sendCommand(['KEYS', `agentfold:agents:{${words}}:requests:*`])).toEqual([])
  })

  it('links an agent only to one of its user, and reports what it guesses', async () => {
    const issues: string[] = []
    const agents = createRedisRequestAgents(client, {
      tenant: 'users',
      onAmbiguous: 'none',
      onIssue: ({ code, agentId }) => issues.push(`${code} ${agentId}`),
    })
    const call = { type: 'tool_use', name: 'Task', input: { prompt: 'Read.' } }
    const parents = ['ann', 'bo', 'bo']
    for (const [at, user] of parents.entries()) {
      const open = await agents.begin({ messages: [ask(`Main ${at}`)] }, { user })
      await agents.answered(open, { role: 'assistant', content: [{ ...call, id: `c${at}` }] })
    }
    for (const user of ['eve', 'bo', 'ann']) await agents.begin({ messages: [ask('Read.')] }, { user })
    const [, , , ...children] = (await agents.registry()).agents
    expect(children.map(({ parentAgentId, isOrphan }) => [parentAgentId, isOrphan])).toEqual([
      [undefined, false],
      [undefined, true],
      ['agent-1', false],
    ])
    expect(issues).toEqual(['ambiguous-claim agent-5'])
  })

  it('knows how a request has ended', async () => {
    const agents = agentsOf('ended')
    const open = await agents.begin({ messages: [ask()] })
    expect(await agents.answered(open, answer('A'))).toBe(true)
    expect(await agents.failed(open)).toBe(false)
    expect(await agents.answered(open, answer('A'))).toBe(true)
  })

  it('keeps the text of the first answer alone, which identifies an agent', async () => {
    const agents = agentsOf('texts')
    const first = await agents.begin({ messages: [ask()] })
    await agents.answered(first, answer('one'))
    await agents.answered(
      await agents.begin({ messages: [ask(), answer('one'), ask('More')] }),
      answer('two'),
    )
    const events = JSON.stringify(
      await client.sendCommand(['XRANGE', 'agentfold:agents:{texts}:events', '-', '+']),
    )
    expect(events).toContain('one')
    expect(events).not.toContain('two')
  })

  it('rejects an answer that is nested too deep', async () => {
    const agents = agentsOf('deep')
    const open = await agents.begin({ messages: [ask()] })
    let content: unknown = 'x'
    for (let depth = 0; depth < 1_100; depth += 1) content = [content]
    const rejected = agents.answered(open, { role: 'assistant', content })
    await expect(rejected).rejects.toThrow('levels')
  })

  it('says that its snapshot is damaged', async () => {
    await agentsOf('damaged').begin({ messages: [ask()] })
    await client.sendCommand(['HSET', 'agentfold:agents:{damaged}:snapshot', 'registry', '{"agents":[1]}'])
    await expect(agentsOf('damaged').registry()).rejects.toMatchObject({ name: 'LogError', code: 'broken' })
  })

  it.each([{ leaseMs: Number.NaN }, { leaseMs: 0 }, { treeMs: -1 }])('refuses %o', (options) => {
    expect(() => agentsOf('times', options)).toThrow(RangeError)
  })
})

// `begin` waited five times as long for a silent Redis as all other calls.
it.each([
  { waits: 8000, calls: 1 },
  { waits: 10, calls: 5 },
])('asks $calls times a Redis whose calls fail after $waits ms', async ({ waits, calls }) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let count = 0
  const silent: RedisConnection = {
    isOpen: true,
    sendCommand: () => {
      count += 1
      return new Promise((_, reject) => setTimeout(() => reject(new Error('Socket timeout')), waits))
    },
    duplicate: () => silent,
    connect: async () => {},
    destroy: () => {},
    on: () => {},
  }
  const begun = createRedisRequestAgents(silent, { tenant: 't' }).begin({ messages: [ask()] })
  const rejected = expect(begun).rejects.toThrow('Socket timeout')
  await vi.advanceTimersByTimeAsync(60_000)
  await rejected
  expect(count).toBe(calls)
})

// A claim lived for some seconds, and the time was that of the last event of all.
it('links an agent whose start comes in a later part', async () => {
  const events = [
    { type: 'agent:started', agentId: 'p', at: 1000 },
    { type: 'agent:spawning', agentId: 'p', at: 1000, expectedChildAgentName: 'reader', toolUseId: 'x' },
    { type: 'agent:started', agentId: 'c', name: 'reader', at: 2000 },
  ].flatMap((event, at) => [String(at + 1), JSON.stringify(event)])
  const readParts = (size: number) =>
    new SharedRegistry(
      async (_, [after]) => [
        ...['events', '999999999', '3', '0', 'one'],
        ...events.slice(2 * Number(after), 2 * (Number(after) + size)),
      ],
      { treeMs: 1e9, onAmbiguous: 'oldest' },
    )
  for (const size of [3, 2, 1]) {
    const { agents } = await readParts(size).read()
    expect(agents.find(({ id }) => id === 'c')?.parentAgentId).toBe('p')
  }
})

// `registry` rejected and `follow` ended, and at each thousandth event the agents that were over stayed.
it('does not change with an `onIssue` that fails', async () => {
  const events = [
    [998, { type: 'agent:started', agentId: 'old', at: 1 }],
    [999, { type: 'agent:failed', agentId: 'old', at: 2 }],
    [1000, { type: 'agent:failed', agentId: 'nobody', at: 9000 }],
  ] as const
  const onIssue = vi.fn(() => {
    throw new Error('The host has an error.')
  })
  const shared = new SharedRegistry(
    async () => [
      ...['events', '9000', '1000', '999', 'one'],
      ...events.flatMap(([seq, event]) => [`${seq}`, JSON.stringify(event)]),
    ],
    { treeMs: 10, onAmbiguous: 'oldest', onIssue },
  )
  expect((await shared.read()).agents).toEqual([])
  await vi.waitFor(() => expect(onIssue).toHaveBeenCalledWith({ code: 'unknown-agent', agentId: 'nobody' }))
})
