import { expect, it } from 'vitest'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { complete, fold, lastStep, resume, spawn, subagentBlock, text, upsert, usage } from '../example.ts'

const withParent = { conversationId: 'unknown' }

it.each<[string, SessionEvent]>([
  ['the toolUseId of a spawn', spawn('main', withParent)],
  ['the agentId of a spawn', spawn('T', { ...withParent, agentId: 'main' })],
  ['the toolUseId of a block', subagentBlock('main', {}, 'unknown')],
  ['the agentId of a block', subagentBlock('T', { agentId: 'main', status: 'success' }, 'unknown')],
  ['the toolUseId of a completion', complete('main', { output: 'x' })],
  ['the agentId of a completion', complete('T', { agentId: 'main', output: 'x' })],
  ['the toolUseId of a resume', resume('main')],
])('an event with main as %s is ignored', (_, event) => {
  const { before, after, issue } = lastStep(upsert(text('a')), event)
  expect(after).toBe(before)
  expect(issue?.code).toBe('reserved-id')
})

// These ids are keys of every object. The empty id looks like an absent one.
const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', 'Main', 'subagent:T']

it.each(odd.slice(0, -1))('%j is a valid id of blocks and messages', (id) => {
  const state = fold(upsert(text(id)), usage(id, 1), upsert(text(id, { content: 'x' })), usage(id, 2))
  expect(state.blocks).toMatchObject([{ id, content: 'x' }])
  expect(state.usage).toMatchObject([{ messageId: id, outputTokens: 2 }])
})
