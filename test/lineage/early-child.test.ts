import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../src/identity/index.ts'
import {
  type AgentEvent,
  type AgentRegistry,
  createAgentRegistry,
  stepAgentEvent,
} from '../../src/lineage/index.ts'
import { agentIn, completed, hashOf, parentsIn, run, runFrom, spawning, started } from './events.ts'

describe('a child that starts before its parent’s call is known', () => {
  const promptHash = hashUserMessage('Do child.')
  const early = [started('main', 0), completed('main', 1), started('child', 10, { name: 'recon' })]

  it('is linked by the prompt, and both learn each other’s hash', () => {
    const { registry } = run(...early, completed('child', 20), spawning('main', 30, { promptHash }))
    expect(agentIn(registry, 'child')).toMatchObject({
      parentAgentId: 'main',
      parentConversationHash: hashOf('main'),
    })
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([hashOf('child')])
    expect(registry.claims).toEqual([])
  })

  it('is linked however long after the call it started, while the claim is open', () => {
    const { registry } = run(started('main', 0), started('child', 7000), spawning('main', 1, { promptHash }))
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it('is linked when it started five seconds before the call', () => {
    const { registry } = run(...early, spawning('main', 5010, { promptHash }))
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it.each([
    { lifetimeMs: 6999, parent: undefined },
    { lifetimeMs: 7000, parent: 'main' },
  ])('is linked if its call’s claim was still open then: $lifetimeMs ms', ({ lifetimeMs, parent }) => {
    const { registry } = run(
      started('main', 0),
      started('child', 7000),
      spawning('main', 1, { promptHash, lifetimeMs }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: parent })
  })

  it('is linked without an issue where it is the only one, also if the host wants no guesses', () => {
    const { registry, issues } = runFrom(createAgentRegistry({ onAmbiguous: 'none' }), [
      ...early,
      spawning('main', 30, { promptHash }),
    ])
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
    expect(issues).toEqual([])
  })

  it('is linked to a parent that the host knows to be main', () => {
    const { registry } = run(
      started('main', 0, { isMain: true }),
      started('child', 10),
      spawning('main', 30, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it('is not below those that it has started, whichever of them came first', () => {
    const { registry } = run(
      started('top', 0),
      started('child', 1),
      spawning('top', 2, { toolUseId: 'p' }),
      started('parent', 3, { toolUseId: 'p' }),
      spawning('parent', 4, { promptHash }),
      spawning('child', 5, { promptHash: hashUserMessage('Do top.') }),
    )
    expect(parentsIn(registry)).toEqual({ top: undefined, child: 'parent', parent: 'top' })
  })

  it('is linked though its parent’s own parent was dropped', () => {
    const { registry } = run(started('a', 0), spawning('a', 1), started('main', 2, { name: 'recon' }))
    const dropped = { ...registry, agents: registry.agents.filter(({ id }) => id !== 'a') }
    const { registry: next } = runFrom(dropped, [started('child', 3), spawning('main', 4, { promptHash })])
    expect(parentsIn(next)).toEqual({ main: 'a', child: 'main' })
  })

  // No log gives such a registry, but a stored one may hold it.
  it('is linked though its parent’s ancestors go round in a circle', () => {
    const { registry } = run(started('main', 0), started('b', 0))
    const parents = new Map([
      ['main', 'b'],
      ['b', 'main'],
    ])
    const agents = registry.agents.map((agent) => ({ ...agent, parentAgentId: parents.get(agent.id) ?? '' }))
    const { registry: next } = runFrom({ ...registry, agents }, [
      started('child', 1),
      spawning('main', 2, { promptHash }),
    ])
    expect(parentsIn(next)).toEqual({ main: 'b', b: 'main', child: 'main' })
  })

  it('tells no hash that it does not have yet', () => {
    const { registry } = run(
      started('main', 0),
      started('child', 10),
      spawning('child', 20),
      spawning('main', 30, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([])
    expect(registry.claims[0]).not.toHaveProperty('parentConversationHash')
  })

  it('stays with the parent that it has, though another calls with the same prompt', () => {
    const { registry } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2, { promptHash }),
      started('child', 3, { name: 'recon' }),
      spawning('b', 4, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, b: undefined, child: 'a' })
    expect(registry.claims).toMatchObject([{ parentAgentId: 'b' }])
  })

  it('is not linked where another claim fits it better', () => {
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      started('first', 10, { firstUserMessageHash: promptHash, toolUseId: 't1' }),
      started('second', 11, { firstUserMessageHash: promptHash }),
      spawning('a', 5011, { toolUseId: 't1' }),
      spawning('b', 5000, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, b: undefined, first: undefined, second: 'b' })
    expect(issues).toEqual([])
  })

  it('is linked by the call', () => {
    const { registry } = run(
      started('main', 0),
      started('child', 10, { toolUseId: 't1' }),
      spawning('main', 30, { toolUseId: 't1', expectedChildAgentName: 'unknown' }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it.each<[string, readonly AgentEvent[]]>([
    ['by its name', [...early, spawning('main', 30)]],
    ['after five seconds', [...early, spawning('main', 5011, { promptHash })]],
    [
      'if the host takes it for main',
      [started('main', 0), started('child', 10, { isMain: true }), spawning('main', 30, { promptHash })],
    ],
    [
      'if it is above the parent',
      [
        started('child', 0),
        spawning('child', 1),
        started('main', 2, { name: 'recon' }),
        spawning('main', 3, { promptHash, expectedChildAgentName: 'unknown' }),
      ],
    ],
  ])('is not linked %s', (_, events) => {
    const { registry } = run(...events)
    expect(agentIn(registry, 'child')?.parentAgentId).toBeUndefined()
    expect(registry.claims).toHaveLength(1)
  })

  it('is one of several only where a guess is wanted', () => {
    const twins = [
      started('main', 0),
      started('first', 1, { firstUserMessageHash: promptHash }),
      started('second', 2, { firstUserMessageHash: promptHash }),
      spawning('main', 3, { promptHash, expectedChildAgentName: 'unknown' }),
    ]
    expect(parentsIn(run(...twins).registry)).toEqual({ main: undefined, first: 'main', second: undefined })
    const careful = runFrom(createAgentRegistry({ onAmbiguous: 'none' }), twins)
    expect(parentsIn(careful.registry)).toEqual({ main: undefined, first: undefined, second: undefined })
    for (const { issues } of [careful, run(...twins)])
      expect(issues).toMatchObject([{ code: 'ambiguous-claim', agentId: 'first' }])
  })
})

// Each look up through all agents that are above the caller, for each child that may be meant, would take minutes.
it('any number of agents are nested, and may be the early child of the one at the end', () => {
  const ids = Array.from({ length: 3_000 }, (_, at) => `a${at}`)
  const promptHash = hashUserMessage('Do it.')
  const parent = agentIn(run(started('a', 0)).registry, 'a')
  const nested = ids.map((id, at) => ({ ...parent, id, ...(at > 0 && { parentAgentId: `a${at - 1}` }) }))
  const early = ids.map((id) => ({ ...parent, id: `early ${id}`, promptHashes: [promptHash] }))
  const registry = { ...run().registry, agents: [...nested, ...early] } as AgentRegistry
  const { issues, registry: after } = stepAgentEvent(registry, spawning('a2999', 1, { promptHash }))
  expect(issues).toMatchObject([{ code: 'ambiguous-claim', agentId: 'early a0' }])
  expect(agentIn(after, 'early a0')?.parentAgentId).toBe('a2999')
})
