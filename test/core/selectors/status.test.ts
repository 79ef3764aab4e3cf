import { expect, expectTypeOf, it } from 'vitest'
import { SESSION_STATUSES } from '../../../src/core/selectors/status.ts'
import type { TurnStatus } from '../../../src/core/state/turn.ts'
import { type SessionStatus, sessionStatus } from '../../../src/entries/index.ts'
import { agent, stateOf } from './agents.ts'

const statuses: readonly TurnStatus[] = ['idle', 'running', 'finished', 'interrupted', 'failed']

it.each(statuses)('is the turn’s, if no agent runs: %s', (status) => {
  const agents = [agent('A', 'main', { status: 'success' }), agent('B', 'main', { status: 'pending' })]
  expect(sessionStatus(stateOf(agents, { turn: { status } }))).toBe(status)
})

// A killed session would be in the background for ever, because nothing reports the end of its agents.
it.each(statuses)('is background, if an agent runs, and main neither runs nor was stopped: %s', (status) => {
  const agents = [agent('A', 'main', { status: 'success' }), agent('B', 'A', { status: 'running' })]
  const expected = status === 'running' || status === 'interrupted' ? status : 'background'
  expect(sessionStatus(stateOf(agents, { turn: { status } }))).toBe(expected)
})

it('has a list of every status', () => {
  expectTypeOf<(typeof SESSION_STATUSES)[number]>().toEqualTypeOf<SessionStatus>()
  expect(new Set(SESSION_STATUSES).size).toBe(7)
})
