import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import {
  type AgentEvent,
  type AgentRegistry,
  createAgentRegistry,
  stepAgentEvent,
} from '../../../../src/entries/lineage.ts'
import {
  agentIn,
  completed,
  hashOf,
  parentsIn,
  run,
  runFrom,
  spawning,
  spawningIn,
  started,
} from '../events.ts'

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

  it('is linked if it started five seconds before the call', () => {
    const { registry } = run(...early, spawning('main', 5010, { promptHash }))
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  // The call is known when the answer has ended. The claim of a child that had started long before stayed open.
  it('is linked if it started while the parent’s answer streamed, however long', () => {
    const request = [started('main', 0), completed('main', 1), started('main', 5)]
    const call = spawning('main', 90_000, { promptHash, isOfWholeAnswer: true })
    const { registry } = run(...request, started('child', 6), call)
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
    const before = run(...request.slice(0, 2), started('child', 4), started('main', 5), call)
    expect(parentsIn(before.registry)).toEqual({ main: undefined, child: undefined })
    expect(before.registry.claims).toMatchObject([{ parentAgentId: 'main', promptHash }])
    expect(before.registry.claims[0]).not.toHaveProperty('isOfWholeAnswer')
  })

  // The begin of the request was that of the last event of its agent.
  it('is linked if it started before another request of its parent', () => {
    const { registry } = run(
      started('main', 0, { requestId: 'r1' }),
      started('child', 1000),
      started('main', 2000, { requestId: 'r2' }),
      completed('main', 2500, { requestId: 'r2' }),
      spawningIn('r1', 'main', 60_000, { promptHash, isOfWholeAnswer: true }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  })

  it('is linked only to an agent of its user, who may change', () => {
    const { registry } = run(
      started('main', 0, { userHash: 'old' }),
      started('main', 1, { userHash: 'ann' }),
      started('other', 2, { firstUserMessageHash: promptHash, userHash: 'bo' }),
      started('child', 3, { userHash: 'ann' }),
      spawning('main', 4, { promptHash }),
      spawning('main', 5, { promptHash: hashUserMessage('Do next.') }),
      started('next', 6, { userHash: 'ann' }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, other: undefined, child: 'main', next: 'main' })
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
