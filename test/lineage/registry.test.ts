import { describe, expect, it } from 'vitest'
import {
  type AgentEvent,
  type AgentIssue,
  type AgentRegistry,
  buildAgentTree,
  computeConversationHash,
  createAgentRegistry,
  hashFirstAssistantResponse,
  hashUserMessage,
  reduceAgentEvent,
  stepAgentEvent,
} from '../../src/index.ts'

type Rest<Type extends AgentEvent['type']> = Partial<Extract<AgentEvent, { type: Type }>>

const started = (agentId: string, at: number, rest: Rest<'agent:started'> = {}): AgentEvent => ({
  type: 'agent:started',
  agentId,
  at,
  agentTypeHash: 'type',
  firstUserMessageHash: hashUserMessage(`Do ${agentId}.`),
  ...rest,
})
const spawning = (agentId: string, at: number, rest: Rest<'agent:spawning'> = {}): AgentEvent => ({
  type: 'agent:spawning',
  agentId,
  at,
  expectedChildAgentName: 'recon',
  ...rest,
})
const completed = (agentId: string, at: number, rest: Rest<'agent:completed'> = {}): AgentEvent => ({
  type: 'agent:completed',
  agentId,
  at,
  inputTokens: 10,
  outputTokens: 2,
  responseText: `${agentId} is done.`,
  ...rest,
})
const tick = (at: number): AgentEvent => ({ type: 'clock:advanced', at })

function run(...events: readonly AgentEvent[]): { registry: AgentRegistry; issues: readonly AgentIssue[] } {
  const issues: AgentIssue[] = []
  const registry = events.reduce((before, event) => {
    const step = stepAgentEvent(before, event)
    issues.push(...step.issues)
    return step.registry
  }, createAgentRegistry())
  return { registry, issues }
}

const agentIn = (registry: AgentRegistry, id: string) => registry.agents.find((agent) => agent.id === id)
const hashOf = (id: string, text = `${id} is done.`) =>
  computeConversationHash('type', hashUserMessage(`Do ${id}.`), hashFirstAssistantResponse(text))

describe('the hash of a conversation', () => {
  it('is not known before the first response has ended', () => {
    const { registry } = run(started('main', 0))
    expect(agentIn(registry, 'main')).toMatchObject({
      conversationHash: null,
      firstAssistantResponseHash: null,
    })
  })

  it('is that of the first response, and later ones do not change it', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1),
      started('main', 2),
      completed('main', 3, { responseText: 'Something else.', inputTokens: 20 }),
    )
    expect(agentIn(registry, 'main')).toMatchObject({ conversationHash: hashOf('main'), inputTokens: 20 })
  })

  it.each(['', ' \n'])(
    'is that of the empty text where the first response is %j, or calls only tools',
    (text) => {
      const { registry } = run(started('main', 0), completed('main', 1, { responseText: text }))
      expect(agentIn(registry, 'main')?.conversationHash).toBe(hashOf('main', ''))
    },
  )

  it('stays unknown where the host does not tell the text', () => {
    const { type, agentId, at } = completed('main', 1) as Extract<AgentEvent, { type: 'agent:completed' }>
    const { registry } = run(started('main', 0), { type, agentId, at })
    expect(agentIn(registry, 'main')?.conversationHash).toBeNull()
  })

  it('counts the first 500 UTF-16 units of a response', () => {
    const { registry } = run(started('main', 0), completed('main', 1, { responseText: 'a'.repeat(1000) }))
    expect(agentIn(registry, 'main')?.conversationHash).toBe(hashOf('main', 'a'.repeat(500)))
  })

  it('keeps the kind of agent of the first request, though the tools change', () => {
    const { registry } = run(
      started('main', 0),
      started('main', 1, { agentTypeHash: 'other' }),
      completed('main', 2),
    )
    expect(agentIn(registry, 'main')).toMatchObject({
      agentTypeHash: 'type',
      conversationHash: hashOf('main'),
    })
  })
})

describe('a child', () => {
  it('is linked to the parent that called it, both ways', () => {
    const { registry, issues } = run(
      started('main', 0),
      completed('main', 1),
      spawning('main', 2),
      started('child', 3, { name: 'recon' }),
      completed('child', 4),
    )
    expect(agentIn(registry, 'child')).toMatchObject({
      parentAgentId: 'main',
      parentConversationHash: hashOf('main'),
    })
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([hashOf('child')])
    expect(registry.claims).toEqual([])
    expect(issues).toEqual([])
  })

  it('of a parent that still gives its first response learns the parent’s hash when that is known', () => {
    const begun = [
      started('main', 0),
      spawning('main', 1),
      spawning('main', 2),
      started('child', 3, { name: 'recon' }),
      completed('child', 4),
    ]
    expect(agentIn(run(...begun).registry, 'child')).toMatchObject({
      parentAgentId: 'main',
      parentConversationHash: null,
    })
    const { registry } = run(...begun, completed('main', 5))
    expect(agentIn(registry, 'child')?.parentConversationHash).toBe(hashOf('main'))
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([hashOf('child')])
    expect(registry.claims).toMatchObject([{ parentConversationHash: hashOf('main') }])
  })

  it('is one of several of the same kind by the order of the calls', () => {
    const { registry } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2),
      spawning('b', 3),
      started('first', 4, { name: 'recon' }),
      started('second', 5, { name: 'recon' }),
    )
    expect(registry.agents.map(({ id, parentAgentId }) => [id, parentAgentId])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['first', 'a'],
      ['second', 'b'],
    ])
  })

  it('is told from its twin by the prompt', () => {
    const promptHash = hashUserMessage('Do second.')
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2, { promptHash: hashUserMessage('Do first.') }),
      spawning('b', 3, { promptHash }),
      started('second', 4, { name: 'recon' }),
    )
    expect(agentIn(registry, 'second')?.parentAgentId).toBe('b')
    expect(issues).toEqual([])
  })

  it('that starts too late has no parent, and the claim is an issue', () => {
    const { registry, issues } = run(
      started('main', 0),
      spawning('main', 1),
      tick(30_001),
      started('late', 30_002, { name: 'recon' }),
    )
    expect(agentIn(registry, 'late')).toMatchObject({ parentConversationHash: null })
    expect(agentIn(registry, 'late')?.parentAgentId).toBeUndefined()
    expect(registry.expiredClaims).toHaveLength(1)
    expect(issues).toEqual([{ code: 'expired-claim', agentId: 'main' }])
  })

  it('is never its own parent', () => {
    const { registry } = run(started('main', 0, { name: 'recon' }), spawning('main', 1), started('main', 2))
    expect(agentIn(registry, 'main')?.parentAgentId).toBeUndefined()
    expect(registry.claims).toHaveLength(1)
  })

  it('says when several parents were as likely', () => {
    const { issues } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2),
      spawning('b', 3),
      started('child', 4, { name: 'recon' }),
    )
    expect(issues).toEqual([{ code: 'ambiguous-claim', agentId: 'child' }])
  })
})

describe('the status of an agent', () => {
  it('is that of its last request', () => {
    const statuses = [
      [started('main', 0)],
      [started('main', 0), completed('main', 1)],
      [started('main', 0), { type: 'agent:failed', agentId: 'main', at: 1 } as const],
      [started('main', 0), completed('main', 1), started('main', 2)],
    ].map((events) => agentIn(run(...events).registry, 'main')?.status)
    expect(statuses).toEqual(['streaming', 'complete', 'error', 'streaming'])
  })

  it('counts in which order agents completed first', () => {
    const { registry } = run(
      started('a', 0),
      started('b', 1),
      completed('b', 2),
      completed('a', 3),
      completed('b', 4),
    )
    expect(registry.agents.map(({ completionOrder }) => completionOrder)).toEqual([1, 0])
  })
})

describe('an event', () => {
  it('of an agent that nobody knows changes nothing and says so', () => {
    const empty = createAgentRegistry()
    for (const event of [
      spawning('x', 0),
      completed('x', 0),
      { type: 'agent:failed', agentId: 'x', at: 0 } as const,
    ]) {
      const step = stepAgentEvent(empty, event)
      expect(step.registry).toBe(empty)
      expect(step.issues).toEqual([{ code: 'unknown-agent', agentId: 'x' }])
    }
  })

  it('that changes nothing gives the same registry', () => {
    const { registry } = run(started('main', 0), completed('main', 1), spawning('main', 2))
    expect(reduceAgentEvent(registry, tick(3))).toBe(registry)
    expect(reduceAgentEvent(registry, completed('main', 1))).toBe(registry)
  })

  it('leaves what it does not touch as it was', () => {
    const { registry } = run(started('a', 0), started('b', 1))
    const next = reduceAgentEvent(registry, completed('b', 2))
    expect(next.agents[0]).toBe(registry.agents[0])
    expect(registry.agents[1]?.status).toBe('streaming')
  })
})

describe('the tree', () => {
  it('has roots newest first and children by their start, and sums tokens', () => {
    const { registry } = run(
      started('old', 0),
      started('new', 1),
      spawning('old', 2),
      spawning('old', 3),
      started('first', 4, { name: 'recon' }),
      started('second', 5, { name: 'recon' }),
      completed('second', 6),
      completed('first', 7),
    )
    const tree = buildAgentTree(registry)
    expect(tree.map(({ id }) => id)).toEqual(['new', 'old'])
    expect(tree[1]?.children.map(({ id, status }) => [id, status])).toEqual([
      ['first', 'success'],
      ['second', 'success'],
    ])
    expect(tree[1]?.usage.total.final).toMatchObject({ messages: 2, inputTokens: 20, outputTokens: 4 })
  })

  it('shows who is waited for, and who never came', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { expectedChildAgentName: 'never' }),
      tick(40_000),
      spawning('main', 40_001, { expectedChildAgentName: 'soon' }),
    )
    expect(buildAgentTree(registry)[0]?.children.map(({ name, status }) => [name, status])).toEqual([
      ['never', 'error'],
      ['soon', 'pending'],
    ])
  })

  it('cuts a cycle in bad data, and shows everybody once', () => {
    const { registry } = run(started('a', 0), started('b', 1), started('c', 2))
    const agents = registry.agents.map((agent, at, all) => ({
      ...agent,
      parentAgentId: all[(at + 1) % all.length]?.id ?? '',
    }))
    const ids: string[] = []
    const visit = (nodes: ReturnType<typeof buildAgentTree>): void => {
      for (const { id, children } of nodes) {
        ids.push(id)
        visit(children)
      }
    }
    visit(buildAgentTree({ ...registry, agents }))
    expect(ids.sort()).toEqual(['a', 'b', 'c'])
  })

  it('is as deep as it has to be', () => {
    const depth = 20_000
    const { registry } = run(started('a0', 0))
    const agents = Array.from({ length: depth }, (_, at) => ({
      ...registry.agents[0],
      id: `a${at}`,
      startTime: at,
      ...(at > 0 && { parentAgentId: `a${at - 1}` }),
    })) as AgentRegistry['agents']
    let levels = 0
    for (let node = buildAgentTree({ ...registry, agents })[0]; node; node = node.children[0]) levels += 1
    expect(levels).toBe(depth)
  })
})
