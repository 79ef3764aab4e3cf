import { expect, it } from 'vitest'
import { hashUserMessage } from '../../../../src/entries/identity.ts'
import { agentIn, run, spawning, started } from '../events.ts'

const promptHash = hashUserMessage('Do child.')

// A random log found it: the claim of the named call stayed open beside its child.
it('answers the call that a child names, also if its prompt answers another one', () => {
  const { registry } = run(
    started('main', 0),
    spawning('main', 1, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    spawning('main', 2, { promptHash, expectedChildAgentName: 'unknown' }),
    started('child', 3, { toolUseId: 't1', name: 'plan' }),
  )
  expect(agentIn(registry, 'child')).toMatchObject({ parentAgentId: 'main', toolUseIds: ['t1'] })
  expect(registry.claims).toEqual([])
})

it('answers the call that an early child names, also if its prompt answers another one', () => {
  const { registry } = run(
    started('main', 0),
    spawning('main', 1, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    started('child', 2, { toolUseId: 't1', name: 'plan' }),
    spawning('main', 3, { promptHash, expectedChildAgentName: 'unknown' }),
  )
  expect(agentIn(registry, 'child')?.parentAgentId).toBe('main')
  expect(registry.claims).toEqual([])
})

it('leaves the claims of other calls, and those of other parents, open', () => {
  const { registry } = run(
    started('main', 0),
    started('other', 0),
    spawning('main', 1, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    spawning('main', 1, { toolUseId: 't2', expectedChildAgentName: 'recon' }),
    spawning('other', 1, { toolUseId: 't1', expectedChildAgentName: 'recon' }),
    spawning('main', 2, { promptHash, expectedChildAgentName: 'unknown' }),
    started('child', 3, { toolUseId: 't1', name: 'plan' }),
  )
  expect(registry.claims.map(({ parentAgentId, toolUseId }) => [parentAgentId, toolUseId])).toEqual([
    ['main', 't2'],
    ['other', 't1'],
  ])
})
