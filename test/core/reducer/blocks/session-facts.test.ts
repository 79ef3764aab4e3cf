import { expect, it } from 'vitest'
import type { SessionFacts } from '../../../../src/core/state/session.ts'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { fold } from '../example.ts'

const facts: SessionFacts = {
  id: 's',
  model: 'opus',
  cwd: '/repo',
  program: 'claude-code',
  version: '2.0.0',
  tools: ['Read', 'Bash'],
  costUsd: 0.5,
}
const update = (known: SessionFacts): SessionEvent => ({ type: 'session:updated', facts: known })

it('a new session has no facts', () => {
  expect(fold().session).toEqual({})
})

it('keeps facts that the event leaves out', () => {
  expect(fold(update(facts), update({ model: 'haiku' })).session).toEqual({ ...facts, model: 'haiku' })
})
