import { describe, expect, it } from 'vitest'
import { type AgentRegistry, reduceAgentEvent } from '../../../../src/entries/lineage.ts'
import { agentIn, completed, parentsIn, run, runFrom, spawning, started } from '../events.ts'

describe('an agent that returns after the host has dropped it', () => {
  const without = (registry: AgentRegistry, id: string) => ({
    ...registry,
    agents: registry.agents.filter((agent) => agent.id !== id),
  })

  it('is not linked below its child, although only that claim matches', () => {
    const { registry } = run(started('a', 0), spawning('a', 1), started('b', 2, { name: 'recon' }))
    const { registry: next } = runFrom(without(registry, 'a'), [
      spawning('b', 3),
      started('a', 4, { name: 'recon' }),
    ])
    expect(parentsIn(next)).toEqual({ b: 'a', a: undefined })
  })
})

describe('an agent that continues after it had finished', () => {
  const finished = [
    started('main', 0),
    completed('main', 1),
    spawning('main', 2, { toolUseId: 't1' }),
    started('child', 3, { name: 'recon' }),
    completed('child', 4),
  ]

  it('answers the call that resumes it, not the call of a sibling', () => {
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
})
