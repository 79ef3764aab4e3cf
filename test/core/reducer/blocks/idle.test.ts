import { describe, expect, it } from 'vitest'
import { findBlock } from '../../../../src/entries/index.ts'
import { fold, idle, lastStep, places, spawn, subagentBlock, text, upsert } from '../example.ts'

describe.each(places)('session:idle in $place', ({ conversationId, start }) => {
  it.each(['pending', 'running'] as const)('never touches the block of a subagent that is %s', (status) => {
    const { before, after } = lastStep(
      ...start,
      subagentBlock('C', { status }, conversationId),
      idle(),
      idle(conversationId),
    )
    expect(after).toBe(before)
  })
})

it('session:idle of main does not change the conversations of its subagents', () => {
  const { before, after } = lastStep(spawn('S'), upsert(text('a'), 'S'), upsert(text('a')), idle())
  expect(after.subagents).toBe(before.subagents)
})

it('session:idle of a subagent does not change its parent’s conversation', () => {
  const { before, after } = lastStep(spawn('S'), upsert(text('a')), upsert(text('a'), 'S'), idle('S'))
  expect(after.blocks).toBe(before.blocks)
})

it('session:idle without a conversationId goes to main', () => {
  const state = fold(spawn('S'), upsert(text('a'), 'S'), upsert(text('a')), { type: 'session:idle' })
  expect(findBlock(state, 'main', 'a')?.status).toBe('complete')
  expect(findBlock(state, 'S', 'a')?.status).toBe('pending')
})
