import { describe, expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import { reduceAgentEvent, stepAgentEvent } from '../../../../src/entries/lineage.ts'
import { parentsIn, run, spawning, started, tick } from '../events.ts'

describe('a call that is reported twice', () => {
  const call = spawning('main', 1, { toolUseId: 't1' })

  it('is one claim', () => {
    const { registry } = run(started('main', 0), call)
    expect(reduceAgentEvent(registry, call)).toBe(registry)
    expect(stepAgentEvent(registry, call).issues).toEqual([])
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

  it('decides between two early children', () => {
    const { registry } = run(
      started('main', 0),
      started('first', 1, { firstUserMessageHash: promptHash }),
      started('second', 2, { firstUserMessageHash: promptHash, toolUseId: 't1' }),
      spawning('main', 3, { toolUseId: 't1', promptHash }),
    )
    expect(parentsIn(registry)).toEqual({ main: undefined, first: undefined, second: 'main' })
  })
})
