import { expect, it } from 'vitest'
import type { SessionFacts } from '../../../../src/core/state/session.ts'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { fold, lastStep, spawn } from '../example.ts'

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

it('adds new facts, for any conversation', () => {
  expect(fold(update(facts)).session).toEqual(facts)
  expect(fold({ ...update(facts), conversationId: 'T' })).toEqual(fold(update(facts)))
})

it('keeps facts that the event leaves out', () => {
  expect(fold(update(facts), update({ model: 'haiku' })).session).toEqual({ ...facts, model: 'haiku' })
})

it('takes the latest value of a fact', () => {
  expect(fold(update(facts), update({ costUsd: 0.7, tools: [] })).session).toMatchObject({
    costUsd: 0.7,
    tools: [],
  })
})

it('ignores undefined facts', () => {
  const event = Object.assign(update({}), { facts: { model: undefined } })
  const { before, after } = lastStep(update(facts), event)
  expect(after).toBe(before)
})

it.each([{}, { ...facts, tools: ['Read', 'Bash'] }])('changes nothing without new facts: %j', (known) => {
  const { before, after, issue } = lastStep(update(facts), update(known))
  expect(after).toBe(before)
  expect(issue).toBeUndefined()
})

it('does not change the conversations', () => {
  const { before, after } = lastStep(spawn('T'), update(facts))
  expect(after.blocks).toBe(before.blocks)
  expect(after.subagents).toBe(before.subagents)
  expect(after.usage).toBe(before.usage)
})
