import { expect, it } from 'vitest'
import { createClaim, reduceAgentEvent } from '../../../../src/entries/lineage.ts'
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
