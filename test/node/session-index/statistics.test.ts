import { expect, it } from 'vitest'
import { statisticsOf } from '../../../src/node/session-index/statistics.ts'

// An agent without tokens had $0.00 of the cost that the program states, and made an unknown cost one of $0.00.
it('counts no cost for a part without tokens', () => {
  const facts = { id: 's', format: 'pi', tools: [], hasFailures: false } as const
  const agent = { turns: 1, failed: 0, waitedMs: 0, day: '2026-01-01', agentType: 'helper', model: 'b' }
  const main = { ...agent, agentType: 'main', inputTokens: 1 }
  const stated = { facts: { ...facts, costUsd: 2 }, parts: [main, agent], tools: [] }
  const unpriced = { facts, parts: [{ ...agent, inputTokens: 1 }], tools: [] }
  const costs = (sessions: Parameters<typeof statisticsOf>[0]) =>
    statisticsOf(sessions, { by: 'agent-type' })
      .map(({ key, costUsd, unpricedSessions = 0 }) => [key, costUsd, unpricedSessions])
      .sort()
  const ofMain = ['main', 2, 0]
  expect(costs([stated])).toEqual([['helper', undefined, 0], ofMain])
  expect(costs([stated, unpriced])).toEqual([['helper', undefined, 1], ofMain])
  // A cost that no token explains is that of the first part.
  expect(costs([{ ...stated, parts: [agent] }])).toEqual([['helper', 2, 0]])
})
