import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../src/entries/identity.ts'
import { type AgentRegistry, buildAgentTree } from '../../../src/entries/lineage.ts'
import { lineages } from '../selectors/agents.ts'
import { completed, run, spawning, started, tick } from './events.ts'

describe('the tree', () => {
  it('shows open claims and expired claims', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { expectedChildAgentName: 'never' }),
      tick(40_000),
      spawning('main', 40_001, { expectedChildAgentName: 'soon' }),
    )
    const children = buildAgentTree(registry)[0]?.children ?? []
    expect(children.map(({ name, status, lineage }) => [name, status, lineage])).toEqual([
      ['never', 'error', 'expired-claim'],
      ['soon', 'pending', 'claim'],
    ])
  })

  it('has an expired claim where it expired, and open claims last', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { expectedChildAgentName: 'never' }),
      spawning('main', 2, { expectedChildAgentName: 'soon', lifetimeMs: 90_000 }),
      spawning('main', 3),
      started('before', 4, { name: 'recon' }),
      spawning('main', 39_998),
      started('after', 39_999, { name: 'recon' }),
    )
    expect(buildAgentTree(registry)[0]?.children.map(({ name, lineage }) => [name, lineage])).toEqual([
      ['recon', 'child'],
      ['never', 'expired-claim'],
      ['recon', 'child'],
      ['soon', 'claim'],
    ])
  })

  it('shows a child without a name by the name in its call', () => {
    const promptHash = hashUserMessage('Do child.')
    const call = spawning('main', 1, { promptHash })
    const names = [
      run(started('main', 0), call, started('child', 2)),
      run(started('main', 0), started('child', 1), call),
      run(
        started('main', 0),
        spawning('main', 1, { promptHash, expectedChildAgentName: 'unknown' }),
        started('child', 2, { name: 'own' }),
      ),
    ].map(({ registry }) => buildAgentTree(registry)[0]?.children.map(({ name }) => name))
    expect(names).toEqual([['recon'], ['recon'], ['own']])
  })

  it('gives a claim an id that does not depend on other claims', () => {
    const calls = [started('main', 0), spawning('main', 1), spawning('main', 1), spawning('main', 2)]
    const idsOf = (registry: AgentRegistry) =>
      buildAgentTree(registry)[0]?.children.map(({ conversationId: id }) => id)
    const before = idsOf(run(...calls).registry)
    expect(new Set(before).size).toBe(3)
    const { registry } = run(...calls, started('child', 3, { name: 'recon' }))
    const left = idsOf(registry)?.filter((id) => id !== 'child') ?? []
    expect(left).toHaveLength(2)
    expect(left.every((id) => before?.includes(id))).toBe(true)
    expect(idsOf(run(...calls, tick(30_001)).registry)).toEqual(before)
  })

  it('gives each member its lineage', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1),
      started('child', 2, { name: 'recon' }),
      spawning('main', 3, { promptHash: hashUserMessage('Do late.') }),
      started('late', 40_000),
      started('lost', 40_001),
      started('A', 40_002),
      started('B', 40_003),
    )
    const parents: Readonly<Record<string, string>> = { lost: 'nobody', A: 'B', B: 'A' }
    const agents = registry.agents.map((agent) => {
      const parentAgentId = parents[agent.id]
      return parentAgentId === undefined ? agent : { ...agent, parentAgentId }
    })
    const tree = buildAgentTree({ ...registry, agents, expiredClaims: [] })
    expect(Object.assign({}, ...tree.map(lineages))).toEqual({
      main: 'root',
      child: 'child',
      late: 'orphan',
      lost: 'orphan',
      A: 'cycle',
      B: 'child',
    })
  })

  it('counts every response, and the host’s estimate while one streams', () => {
    const { registry } = run(
      started('main', 0, { estimatedInputTokens: 5 }),
      completed('main', 1, { inputTokens: 10, outputTokens: 1 }),
      started('main', 2, { estimatedInputTokens: 12 }),
      completed('main', 3, { inputTokens: 14, outputTokens: 2 }),
      started('main', 4, { estimatedInputTokens: 20 }),
    )
    expect(buildAgentTree(registry)[0]?.usage.own).toEqual({
      final: { messages: 2, inputTokens: 24, outputTokens: 3 },
      provisional: { messages: 1, inputTokens: 20 },
    })
  })

  it('may have any depth', () => {
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
