import { expect, it } from 'vitest'
import { type AgentRegistry, createClaim, reduceAgentEvent } from '../../../../src/entries/lineage.ts'
import { failed, run, started } from '../events.ts'

class Revived {
  constructor(fields: object) {
    Object.assign(this, fields)
  }
}

const revived = <Item extends object>(item: Item): Item => Object.assign(Object(new Revived(item)))

// Immer hands an instance of a class to a recipe as it is: the caller's own agent got the new status.
it('refuses agents that are instances of a class, and leaves them as they are', () => {
  const { registry } = run(started('a', 1))
  const host = { ...registry, agents: registry.agents.map(revived) }
  expect(() => reduceAgentEvent(host, failed('a', 5))).toThrow(TypeError)
  expect(host.agents[0]?.status).toBe('streaming')
})

it('refuses claims that are instances of a class, and leaves them as they are', () => {
  const claim = {
    parentAgentId: 'a',
    parentAgentTypeHash: 'h',
    expectedChildAgentName: 'unknown',
    toolUseId: 't',
  }
  const claims = createClaim([], claim, 0).map(revived)
  expect(() => createClaim(claims, { ...claim, expectedChildAgentName: 'recon' }, 1)).toThrow(TypeError)
  expect(claims[0]?.expectedChildAgentName).toBe('unknown')
})

// A page may wrap a registry in a proxy of its own, and a host may copy it with its getters.
it.each([
  [
    'a proxy',
    (host: AgentRegistry) => new Proxy(host, { get: (from, key, to) => Reflect.get(from, key, to) }),
  ],
  ['an object that inherits', (host: AgentRegistry) => Object.create(host)],
  [
    'a copy of its descriptors',
    (host: AgentRegistry) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(host)),
  ],
])('has the agents in %s', (_, wrap: (registry: AgentRegistry) => AgentRegistry) => {
  const { registry } = run(started('a', 1), started('b', 2))
  const wrapped = wrap(registry)
  expect(wrapped.agents).toEqual(registry.agents)
  expect(reduceAgentEvent(wrapped, failed('b', 5)).agents).toEqual(
    reduceAgentEvent(registry, failed('b', 5)).agents,
  )
})
