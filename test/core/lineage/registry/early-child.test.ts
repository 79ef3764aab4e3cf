import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import {
  type AgentEvent,
  type AgentRegistry,
  createAgentRegistry,
  stepAgentEvent,
} from '../../../../src/entries/lineage.ts'
import { agentIn, completed, hashOf, parentsIn, run, runFrom, spawning, started } from '../events.ts'

describe('a child that starts before its parent’s call is known', () => {
  const promptHash = hashUserMessage('Do child.')
  const early = [started('main', 0), completed('main', 1), started('child', 10, { name: 'recon' })]

  it('is linked by the prompt, and child and parent get each other’s hash', () => {
    const { registry } = run(...early, completed('child', 20), spawning('main', 30, { promptHash }))
    expect(agentIn(registry, 'child')).toMatchObject({
      parentAgentId: 'main',
      parentConversationHash: hashOf('main'),
    })
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([hashOf('child')])
    expect(registry.claims).toEqual([])
  })

  it('is linked at any time while the claim is open', () => {
    const { registry } = run(started('main', 0), started('child', 7000), spawning('main', 1, { promptHash }))
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it('is linked if it started five seconds before the call', () => {
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

  it('is linked without an issue if it is the only one, also if the host wants no guesses', () => {
    const { registry, issues } = runFrom(createAgentRegistry({ onAmbiguous: 'none' }), [
      ...early,
      spawning('main', 30, { promptHash }),
    ])
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
    expect(issues).toEqual([])
  })

  it('is linked to a parent that is main', () => {
    const { registry } = run(
      started('main', 0, { isMain: true }),
      started('child', 10),
      spawning('main', 30, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it('is not linked below its own children, whichever started first', () => {
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

  it('is linked although the host dropped its grandparent', () => {
    const { registry } = run(started('a', 0), spawning('a', 1), started('main', 2, { name: 'recon' }))
    const dropped = { ...registry, agents: registry.agents.filter(({ id }) => id !== 'a') }
    const { registry: next } = runFrom(dropped, [started('child', 3), spawning('main', 4, { promptHash })])
    expect(parentsIn(next)).toEqual({ main: 'a', child: 'main' })
  })

  // No log leads to such a registry, but a stored registry may have this form.
  it('is linked although its parent’s ancestors form a cycle', () => {
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

  it('passes on no hash before it has one', () => {
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

  it('keeps its parent if another agent calls with the same prompt', () => {
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

  it('is not linked if another claim matches better', () => {
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      started('first', 10, { firstUserMessageHash: promptHash, toolUseId: 't1' }),
      started('second', 11, { firstUserMessageHash: promptHash }),
      spawning('a', 5011, { toolUseId: 't1' }),
      spawning('b', 5000, { promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, b: undefined, first: 'a', second: 'b' })
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
      'if it is main for the host',
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

  it('is chosen from several only if the host wants a guess', () => {
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

// A walk through all ancestors of the caller, once for each possible child, would take minutes.
it('any depth works, also with the root as a possible early child of the last agent', () => {
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
