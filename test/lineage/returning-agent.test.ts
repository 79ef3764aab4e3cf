import { describe, expect, it } from 'vitest'
import { type AgentRegistry, reduceAgentEvent } from '../../src/lineage/index.ts'
import { agentIn, completed, hashOf, parentsIn, run, runFrom, spawning, started } from './events.ts'

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
