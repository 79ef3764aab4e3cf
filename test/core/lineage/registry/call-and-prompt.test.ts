import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import { reduceAgentEvent, stepAgentEvent } from '../../../../src/entries/lineage.ts'
import { agentIn, parentsIn, run, spawning, started, tick } from '../events.ts'

describe('a call that is reported twice', () => {
  const call = spawning('main', 1, { toolUseId: 't1' })

  it('is one claim', () => {
    const { registry } = run(started('main', 0), call)
    expect(reduceAgentEvent(registry, call)).toBe(registry)
    expect(stepAgentEvent(registry, call).issues).toEqual([])
  })

  it('does not change the claims of other calls', () => {
    const { registry } = run(started('main', 0), spawning('main', 1), call)
    const next = reduceAgentEvent(registry, spawning('main', 2, { toolUseId: 't1', promptHash: 'p' }))
    expect(next.claims[0]).toBe(registry.claims[0])
    expect(next.claims[1]).toMatchObject({ toolUseId: 't1', promptHash: 'p' })
  })

  it('adds unknown facts and changes nothing else', () => {
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

  it('adds a name', () => {
    const { registry } = run(
      started('main', 0),
      spawning('main', 1, { toolUseId: 't1', expectedChildAgentName: 'unknown' }),
      spawning('main', 2, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    )
    expect(registry.claims).toMatchObject([{ expectedChildAgentName: 'recon', timestamp: 1 }])
  })

  it('makes no second claim after its child has started', () => {
    const { registry } = run(started('main', 0), call, started('child', 2, { name: 'recon' }))
    expect(reduceAgentEvent(registry, call)).toBe(registry)
    expect(stepAgentEvent(registry, call).issues).toEqual([])
  })

  it('makes no second claim after the first has expired', () => {
    const { registry } = run(started('main', 0), call, tick(40_000))
    const again = spawning('main', 40_001, { toolUseId: 't1' })
    expect(reduceAgentEvent(registry, again)).toBe(registry)
  })
})

describe('the call’s id', () => {
  const promptHash = hashUserMessage('Do child.')

  it('in an expired claim excludes every other parent', () => {
    const { registry, issues } = run(
      started('a', 0),
      started('b', 1),
      spawning('a', 2, { toolUseId: 't1' }),
      spawning('b', 25_000),
      started('child', 31_000, { name: 'recon', toolUseId: 't1' }),
    )
    expect(agentIn(registry, 'child')).toMatchObject({ isOrphan: false, parentAgentId: 'a' })
    expect(issues.map(({ code }) => code)).toEqual(['expired-claim'])
    expect([registry.claims, registry.expiredClaims].map(({ length }) => length)).toEqual([1, 0])
  })

  it('decides between two early children', () => {
    const { registry } = run(
      started('main', 0),
      started('first', 1, { firstUserMessageHash: promptHash }),
      started('second', 2, { firstUserMessageHash: promptHash, toolUseId: 't1' }),
      spawning('main', 3, { toolUseId: 't1', promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, first: undefined, second: 'main' })
  })

  it('links its child although an old claim with the same prompt had made the child an orphan', () => {
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

it('an open claim with the name is stronger than an old claim with the prompt, because hosts reuse prompts', () => {
  const promptHash = hashUserMessage('Do chat.')
  const { registry } = run(
    started('main', 0),
    spawning('main', 1, { promptHash }),
    spawning('main', 60_001, { expectedChildAgentName: 'chat' }),
    started('chat', 60_002, { name: 'chat' }),
  )
  expect(agentIn(registry, 'chat')).toMatchObject({ isOrphan: false, parentAgentId: 'main' })
})

it('a prompt that is reported after the child has started links it', () => {
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
