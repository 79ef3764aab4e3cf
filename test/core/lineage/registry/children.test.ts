import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import { createAgentRegistry } from '../../../../src/entries/lineage.ts'
import { agentIn, completed, hashOf, parentsIn, run, runFrom, spawning, started, tick } from '../events.ts'

describe('a child', () => {
  it('gets the parent’s hash when the parent’s first response has ended', () => {
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
    { type: 'type', parentAgentTypeHash: 'type' },
    { type: undefined, parentAgentTypeHash: '' },
  ])('has a claim with the agent type of its parent: $type', ({ type, parentAgentTypeHash }) => {
    const { registry } = run(started('main', 0, { agentTypeHash: type }), spawning('main', 1))
    expect(registry.claims).toMatchObject([{ parentAgentId: 'main', parentAgentTypeHash }])
  })

  it('that never started has a claim that still gets the parent’s hash', () => {
    const { registry } = run(started('main', 0), spawning('main', 1), tick(40_000), completed('main', 40_001))
    expect(registry.expiredClaims).toMatchObject([{ parentConversationHash: hashOf('main') }])
  })

  it('of several with the same name is linked in the order of the calls', () => {
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

  it('that starts too late has no parent, and its claim is an issue', () => {
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

  it('has an issue if several parents match equally well', () => {
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

  it.each([31_000, 1_000_000, -60_000])('is linked by its call, although its clock shows %j', (at) => {
    const call = spawning('main', 1, { toolUseId: 't1', promptHash: hashUserMessage('Look.') })
    const child = started('late', at, { toolUseId: 't1', firstUserMessageHash: hashUserMessage('Look.') })
    for (const events of [
      [call, child],
      [child, call],
    ]) {
      const { registry, issues } = run(started('main', 0), ...events)
      expect(agentIn(registry, 'late')).toMatchObject({ isOrphan: false, parentAgentId: 'main' })
      expect(issues.filter(({ code }) => code !== 'expired-claim')).toEqual([])
      expect([...registry.claims, ...registry.expiredClaims]).toEqual([])
    }
  })

  it('is linked by its name alone, although another claim with that name has expired', () => {
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

  it('of one of several parents is an orphan if the host wants no guesses, and both claims stay open', () => {
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

  it('is never an agent that is main', () => {
    const { registry, issues } = run(
      started('a', 0),
      spawning('a', 1),
      started('main', 2, { name: 'recon', isMain: true }),
    )
    expect(parentsIn(registry)).toEqual({ a: undefined, main: undefined })
    expect(issues).toEqual([])
    expect(registry.claims).toHaveLength(1)
  })
})
