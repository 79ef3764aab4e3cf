import { expect, it } from 'vitest'
import type { SessionEvent, Todo } from '../../../src/entries/index.ts'
import { fold, lastStep, usage } from './example.ts'

const plan: readonly Todo[] = [
  { text: 'Look', status: 'completed' },
  { text: 'Report', status: 'in_progress' },
]

it('a conversation without a plan has no key for one', () => {
  const { subagents, ...main } = fold(usage('m', 1), usage('m', 1, { conversationId: 'X' }))
  for (const thread of [main, ...subagents]) expect(Object.keys(thread)).not.toContain('todos')
})

it('an equal plan changes nothing', () => {
  const update: SessionEvent = { type: 'todos:updated', todos: plan }
  const { before, after } = lastStep(update, structuredClone(update))
  expect(after).toBe(before)
})

it('the plan of an unknown agent creates the agent, and the agent keeps it when its call is known', () => {
  const state = fold(
    { type: 'todos:updated', conversationId: 'X', todos: plan },
    { type: 'subagent:spawned', toolUseId: 'T', agentId: 'X', prompt: 'Look.' },
  )
  expect(state.subagents).toMatchObject([{ toolUseId: 'T', todos: plan }])
})
