import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/core/lineage/registry/agent.ts'
import { parseConversationSpec, parseStoredTurns } from '../../src/entries/identity.ts'
import { buildAgentTree, createAgentRegistry, stepAgentEvent } from '../../src/entries/lineage.ts'

describe.each([
  ['parseConversationSpec', parseConversationSpec],
  ['parseStoredTurns', parseStoredTurns],
])('%s', (_, parse) => {
  it.each([
    [null, 'missing'],
    [undefined, 'missing'],
    [7, 'not-json'],
    [{}, 'not-json'],
    [[], 'not-json'],
  ])('answers %j with an issue', (value, code) => {
    expect(parse(value)).toEqual({ ok: false, issues: [{ code, path: [], expected: 'JSON text or bytes' }] })
  })
})

it.each([31_000, 59_000, 61_000, 7_200_000])(
  'a child that starts %d ms after its call is a late child',
  (at) => {
    const events: readonly AgentEvent[] = [
      { type: 'agent:started', agentId: 'p', at: 0, name: 'main' },
      { type: 'agent:spawning', agentId: 'p', expectedChildAgentName: 'other', promptHash: 'o', at: 0 },
      { type: 'agent:spawning', agentId: 'p', expectedChildAgentName: 'scout', promptHash: 'h', at: 0 },
      { type: 'agent:started', agentId: 'c', at, name: 'scout', firstUserMessageHash: 'h' },
    ]
    let registry = createAgentRegistry()
    const issues = events.flatMap((event) => {
      const step = stepAgentEvent(registry, event)
      registry = step.registry
      return step.issues
    })
    expect(issues.map(({ code }) => code)).toEqual(['expired-claim', 'expired-claim', 'late-child'])
    expect(issues.at(-1)).toMatchObject({ claim: { promptHash: 'h' } })
    expect(buildAgentTree(registry).find(({ conversationId: id }) => id === 'c')?.lineage).toBe('orphan')
  },
)
