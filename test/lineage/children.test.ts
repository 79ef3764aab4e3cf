import { describe, expect, it } from 'vitest'
import {
  type AgentEvent,
  type AgentRegistry,
  createAgentRegistry,
  hashUserMessage,
  reduceAgentEvent,
  stepAgentEvent,
} from '../../src/index.ts'
import {
  agentIn,
  completed,
  failed,
  hashOf,
  parentsIn,
  run,
  runFrom,
  spawning,
  started,
  tick,
} from './events.ts'

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

  it.each([
    { type: 'type', told: 'type' },
    { type: undefined, told: '' },
  ])('is waited for by a claim that says what kind of agent has called: $type', ({ type, told }) => {
    const { registry } = run(started('main', 0, { agentTypeHash: type }), spawning('main', 1))
    expect(registry.claims).toMatchObject([{ parentAgentId: 'main', parentAgentTypeHash: told }])
  })

  it('that never came is told its parent’s hash all the same', () => {
    const { registry } = run(started('main', 0), spawning('main', 1), tick(40_000), completed('main', 40_001))
    expect(registry.expiredClaims).toMatchObject([{ parentConversationHash: hashOf('main') }])
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
    const claim = registry.expiredClaims[0]
    expect(issues).toEqual([
      { code: 'expired-claim', agentId: 'main', claim },
      { code: 'late-child', agentId: 'late', claim },
    ])
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
    expect(issues).toMatchObject([
      { code: 'ambiguous-claim', agentId: 'child', claim: { parentAgentId: 'a' } },
    ])
  })

  it.each<[string, Parameters<typeof started>[2]]>([
    ['by its prompt', { firstUserMessageHash: hashUserMessage('Look.') }],
    ['by a part of its prompt', { promptHashes: [hashUserMessage('Wrapped.'), hashUserMessage('Look.')] }],
    [
      'by the whole of a prompt in parts',
      { promptHashes: ['a'], firstUserMessageHash: hashUserMessage('Look.') },
    ],
    ['by its call', { toolUseId: 't1' }],
  ])('that comes too late is an orphan, known %s', (_, evidence) => {
    const { registry, issues } = run(
      started('main', 0),
      spawning('main', 1, { toolUseId: 't1', promptHash: hashUserMessage('Look.') }),
      started('late', 30_001, { name: 'recon', firstUserMessageHash: undefined, ...evidence }),
    )
    const claim = registry.expiredClaims[0]
    expect(issues).toEqual([
      { code: 'expired-claim', agentId: 'main', claim },
      { code: 'late-child', agentId: 'late', claim },
    ])
    expect(agentIn(registry, 'late')).toMatchObject({ isOrphan: true, isMain: false })
    expect(parentsIn(registry)).toEqual({ main: undefined, late: undefined })
  })

  it('is an orphan for as long again as the claim was open, by its name too', () => {
    const called = [started('main', 0), spawning('main', 1)]
    const orphans = [30_001, 60_000, 60_001].map((at) => {
      const { registry } = run(...called, started('late', at, { name: 'recon' }))
      return agentIn(registry, 'late')?.isOrphan
    })
    expect(orphans).toEqual([true, true, false])
  })

  it('is an orphan however late it comes, by its call', () => {
    const { registry, issues } = run(
      started('main', 0),
      spawning('main', 1, { toolUseId: 't1' }),
      started('late', 1_000_000, { toolUseId: 't1' }),
    )
    expect(agentIn(registry, 'late')?.isOrphan).toBe(true)
    expect(issues.map(({ code }) => code)).toEqual(['expired-claim', 'late-child'])
  })

  it('is linked by its name alone, though one that had the same name never came', () => {
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2),
      spawning('b', 25_000),
      started('child', 31_000, { name: 'recon' }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, b: undefined, child: 'b' })
    expect(issues.map(({ code }) => code)).toEqual(['expired-claim'])
  })

  it('of one of several parents is an orphan where the host wants no guesses, and both go on waiting', () => {
    const { registry, issues } = runFrom(createAgentRegistry({ onAmbiguous: 'none' }), [
      started('a', 0),
      started('b', 1),
      spawning('a', 2),
      spawning('b', 3),
      started('child', 4, { name: 'recon' }),
    ])
    expect(agentIn(registry, 'child')).toMatchObject({ isOrphan: true })
    expect(parentsIn(registry)).toEqual({ a: undefined, b: undefined, child: undefined })
    expect(registry.claims).toHaveLength(2)
    expect(issues).toMatchObject([{ code: 'ambiguous-claim', agentId: 'child' }])
  })

  it('is nobody whom the host knows to be main', () => {
    const { registry, issues } = run(
      started('a', 0),
      spawning('a', 1),
      started('main', 2, { name: 'recon', isMain: true }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, main: undefined })
    expect(issues).toEqual([])
    expect(registry.claims).toHaveLength(1)
  })

  it('learns which call started it', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { toolUseId: 't1' }),
      started('child', 2, { name: 'recon' }),
    )
    expect(agentIn(registry, 'child')?.toolUseIds).toEqual(['t1'])
  })

  it('learns none where the call has no id', () => {
    const { registry } = run(started('main', 0), spawning('main', 1), started('child', 2, { name: 'recon' }))
    expect(agentIn(registry, 'child')).toMatchObject({ parentAgentId: 'main', toolUseIds: [] })
  })

  it('that fails is still its parent’s, and so is its hash when it tries again', () => {
    const { registry } = run(
      started('main', 0),
      completed('main', 1),
      spawning('main', 2),
      started('child', 3, { name: 'recon' }),
      failed('child', 4),
      started('child', 5),
      completed('child', 6),
    )
    expect(agentIn(registry, 'child')).toMatchObject({ parentAgentId: 'main', status: 'complete' })
    expect(agentIn(registry, 'main')?.childConversationHashes).toEqual([hashOf('child')])
  })
})

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

describe('a call that is told twice', () => {
  const call = spawning('main', 1, { toolUseId: 't1' })

  it('is one claim', () => {
    const { registry } = run(started('main', 0), call)
    expect(reduceAgentEvent(registry, call)).toBe(registry)
    expect(stepAgentEvent(registry, call).issues).toEqual([])
  })

  it('leaves the claims of other calls as they are', () => {
    const { registry } = run(started('main', 0), spawning('main', 1), call)
    const next = reduceAgentEvent(registry, spawning('main', 2, { toolUseId: 't1', promptHash: 'p' }))
    expect(next.claims[0]).toBe(registry.claims[0])
    expect(next.claims[1]).toMatchObject({ toolUseId: 't1', promptHash: 'p' })
  })

  it('fills in what was not known, and changes nothing else', () => {
    const { registry } = run(
      started('main', 0),
      call,
      spawning('main', 2, {
        toolUseId: 't1',
        expectedChildAgentName: 'plan',
        promptHash: 'p',
        lifetimeMs: 1,
      }),
    )
    expect(registry.claims).toMatchObject([
      { expectedChildAgentName: 'recon', promptHash: 'p', timestamp: 1, expiresAt: 30_001 },
    ])
  })

  it('fills in a name', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { toolUseId: 't1', expectedChildAgentName: 'unknown' }),
      spawning('main', 2, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    )
    expect(registry.claims).toMatchObject([{ expectedChildAgentName: 'recon', timestamp: 1 }])
  })

  it('waits for no second child when the first has come', () => {
    const { registry } = run(started('main', 0), call, started('child', 2, { name: 'recon' }))
    expect(reduceAgentEvent(registry, call)).toBe(registry)
    expect(stepAgentEvent(registry, call).issues).toEqual([])
  })

  it('does not wait again when it has waited in vain', () => {
    const { registry } = run(started('main', 0), call, tick(40_000))
    const again = spawning('main', 40_001, { toolUseId: 't1' })
    expect(reduceAgentEvent(registry, again)).toBe(registry)
  })
})

describe('the call’s id', () => {
  const promptHash = hashUserMessage('Do child.')

  it('of a claim that has expired speaks against any other parent', () => {
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2, { toolUseId: 't1' }),
      spawning('b', 25_000),
      started('child', 31_000, { name: 'recon', toolUseId: 't1' }),
    )
    expect(agentIn(registry, 'child')).toMatchObject({ isOrphan: true })
    expect(issues.map(({ code }) => code)).toEqual(['expired-claim', 'late-child'])
    expect(registry.claims).toHaveLength(1)
  })

  it('tells which of two that started before the call is its child', () => {
    const { registry } = run(
      started('main', 0),
      started('first', 1, { firstUserMessageHash: promptHash }),
      started('second', 2, { firstUserMessageHash: promptHash, toolUseId: 't1' }),
      spawning('main', 3, { toolUseId: 't1', promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, first: undefined, second: 'main' })
  })

  it('finds its child though an old claim with the same prompt had made an orphan of it', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { promptHash }),
      started('child', 50_000, { toolUseId: 't2' }),
      spawning('main', 50_100, { toolUseId: 't2', promptHash }),
    )
    expect(agentIn(registry, 'child')).toMatchObject({ isOrphan: false, parentAgentId: 'main' })
    expect(registry.claims).toEqual([])
  })
})

it.each([{}, { toolUseId: 't1' }])('an old prompt makes no orphan: it may be used again, %j', (call) => {
  const promptHash = hashUserMessage('Do chat.')
  const { registry } = run(
    started('main', 0),
    spawning('main', 1, { promptHash, ...call }),
    started('chat', 60_001),
  )
  expect(agentIn(registry, 'chat')?.isOrphan).toBe(false)
})

it('a prompt that is told when the child has started links it', () => {
  const promptHash = hashUserMessage('Do child.')
  const { registry } = run(
    started('main', 0),
    started('child', 10),
    spawning('main', 11, { toolUseId: 't1' }),
    spawning('main', 12, { toolUseId: 't1', promptHash }),
  )
  expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
  expect(registry.claims).toEqual([])
})

describe('an agent that a host has dropped and that comes back', () => {
  const without = (registry: AgentRegistry, id: string) => ({
    ...registry,
    agents: registry.agents.filter((agent) => agent.id !== id),
  })

  it('is not its own child, though others wait for theirs', () => {
    const { registry } = run(
      started('x', 0),
      started('y', 0),
      spawning('x', 1),
      spawning('y', 1, { expectedChildAgentName: 'plan' }),
    )
    const { registry: next } = runFrom(without(registry, 'x'), [started('x', 2, { name: 'recon' })])
    expect(parentsIn(next)).toEqual({ y: undefined, x: undefined })
  })

  it('is not below the one that it has started, though there is nobody else', () => {
    const { registry } = run(started('a', 0), spawning('a', 1), started('b', 2, { name: 'recon' }))
    const { registry: next } = runFrom(without(registry, 'a'), [
      spawning('b', 3),
      started('a', 4, { name: 'recon' }),
    ])
    expect(parentsIn(next)).toEqual({ b: 'a', a: undefined })
  })

  it('is not below those that it has started, whoever else there is', () => {
    const { registry } = run(
      started('a', 0),
      started('y', 0),
      spawning('a', 1),
      started('b', 2, { name: 'recon' }),
    )
    const { registry: next } = runFrom(without(registry, 'a'), [
      spawning('b', 3),
      started('a', 4, { name: 'recon' }),
    ])
    expect(parentsIn(next)).toEqual({ y: undefined, b: 'a', a: undefined })
  })

  it('is the child of another that has called it', () => {
    const { registry } = run(
      started('x', 0),
      started('y', 0),
      spawning('x', 1, { expectedChildAgentName: 'plan' }),
      spawning('y', 1),
    )
    const { registry: next } = runFrom(without(registry, 'x'), [started('x', 2, { name: 'recon' })])
    expect(parentsIn(next)).toEqual({ y: undefined, x: 'y' })
  })
})

describe('an agent that goes on after it had finished', () => {
  const finished = [
    started('main', 0),
    completed('main', 1),
    spawning('main', 2, { toolUseId: 't1' }),
    started('child', 3, { name: 'recon' }),
    completed('child', 4),
  ]

  it('is the same agent under the same parent, running again', () => {
    const { registry } = run(...finished, started('child', 60_000))
    expect(agentIn(registry, 'child')).toMatchObject({
      status: 'streaming',
      parentAgentId: 'main',
      conversationHash: hashOf('child'),
    })
    expect(registry.agents).toHaveLength(2)
  })

  it('answers the call that has it go on, and leaves a sibling’s alone', () => {
    const { registry, issues } = run(
      ...finished,
      spawning('main', 5, { toolUseId: 'resume' }),
      spawning('main', 6, { toolUseId: 'sibling' }),
      started('child', 7, { toolUseId: 'resume' }),
    )
    expect(registry.claims.map(({ toolUseId }) => toolUseId)).toEqual(['sibling'])
    expect(reduceAgentEvent(registry, spawning('main', 8, { toolUseId: 'resume' }))).toBe(registry)
    expect(agentIn(registry, 'child')?.toolUseIds).toEqual(['t1', 'resume'])
    expect(issues).toEqual([])
  })

  it('answers that call before it is known, too', () => {
    const { registry } = run(...finished, started('child', 5, { toolUseId: 'resume' }))
    expect(reduceAgentEvent(registry, spawning('main', 6, { toolUseId: 'resume' }))).toBe(registry)
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
