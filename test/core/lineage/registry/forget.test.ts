import { describe, expect, it } from 'vitest'
import { forgetAgents, reduceAgentEvent } from '../../../../src/entries/lineage.ts'
import { completed, failed, run, spawning, started, tick } from '../events.ts'

const ids = (registry: Parameters<typeof forgetAgents>[0]) => registry.agents.map(({ id }) => id)

/** A main agent with a child and a grandchild, and an agent of its own. */
const { registry } = run(
  started('main', 0, { isMain: true }),
  spawning('main', 1, { toolUseId: 't1' }),
  started('child', 2, { name: 'recon', toolUseId: 't1' }),
  spawning('child', 3, { toolUseId: 't2' }),
  started('grandchild', 4, { name: 'recon', toolUseId: 't2' }),
  started('alone', 5, { isMain: true }),
  completed('grandchild', 6),
  completed('child', 7),
  completed('main', 8),
  failed('alone', 9),
)

describe('forgetAgents', () => {
  it('drops trees that are over, and keeps the others whole', () => {
    expect(ids(forgetAgents(registry, { before: 9 }))).toEqual(['alone'])
    expect(ids(forgetAgents(registry, { before: 10 }))).toEqual([])
    expect(forgetAgents(registry, { before: 8 })).toBe(registry)
  })

  it('keeps a tree while one of its agents streams or waits for a child', () => {
    const again = reduceAgentEvent(registry, started('grandchild', 10))
    expect(ids(forgetAgents(again, { before: 100 }))).toEqual(['main', 'child', 'grandchild'])
    const calls = reduceAgentEvent(registry, spawning('main', 10, { toolUseId: 't3' }))
    expect(ids(forgetAgents(calls, { before: 100 }))).toEqual(['main', 'child', 'grandchild'])
  })

  it('drops old expired claims', () => {
    const expired = [spawning('main', 10, { toolUseId: 't3' }), tick(40_010)].reduce(
      reduceAgentEvent,
      registry,
    )
    expect(expired.expiredClaims).toHaveLength(1)
    expect(forgetAgents(expired, { before: 30_011 })).toMatchObject({ agents: [], expiredClaims: [] })
    expect(forgetAgents(expired, { before: 30_010 }).expiredClaims).toHaveLength(1)
  })

  it('refuses a wrong time', () => {
    expect(() => forgetAgents(registry, { before: Number.NaN })).toThrow(RangeError)
  })
})
