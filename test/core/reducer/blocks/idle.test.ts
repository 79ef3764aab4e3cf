import { describe, expect, it } from 'vitest'
import { findBlock } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import {
  blocksOf,
  fold,
  idle,
  lastStep,
  places,
  spawn,
  subagentBlock,
  text,
  toolUse,
  upsert,
} from '../example.ts'

const base = { id: 'a', status: 'pending' } as const

describe.each(places)('session:idle in $place', ({ conversationId, start }) => {
  const put = (block: IncomingBlock) => upsert(block, conversationId)

  it('finalizes every pending block as complete', () => {
    const state = fold(...start, put(text('a')), put(toolUse('b')), put(text('c')), idle(conversationId))
    expect(blocksOf(state, conversationId).map(({ status }) => status)).toEqual([
      'complete',
      'complete',
      'complete',
    ])
  })

  it.each<IncomingBlock>([
    { ...base, type: 'user_message', content: '' },
    { ...base, type: 'assistant_text', content: '' },
    { ...base, type: 'thinking', content: '' },
    { ...base, type: 'tool_use', toolName: '', toolUseId: '', input: 0 },
    { ...base, type: 'tool_result', toolUseId: '', output: 0, isError: false },
    { ...base, type: 'system', subtype: '', message: '' },
    { ...base, type: 'error', message: '' },
    { ...base, type: 'skill_load', skillName: '', content: '' },
  ])('finalizes a block of type $type', (block) => {
    const state = fold(...start, put(block), idle(conversationId))
    expect(blocksOf(state, conversationId)).toMatchObject([{ type: block.type, status: 'complete' }])
  })

  it('keeps final blocks: errors stay errors, references stay', () => {
    const { before, after } = lastStep(
      ...start,
      put(text('a', { status: 'error' })),
      put(text('b', { status: 'complete' })),
      put(text('c')),
      idle(conversationId),
    )
    for (const id of ['a', 'b'])
      expect(findBlock(after, conversationId, id)).toBe(findBlock(before, conversationId, id))
  })

  it('changes nothing if no block is pending', () => {
    const { before, after, issue } = lastStep(
      ...start,
      put(text('a')),
      idle(conversationId),
      idle(conversationId),
    )
    expect(after).toBe(before)
    expect(issue).toBeUndefined()
  })

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

it('session:idle leaves the subagent running', () => {
  expect(fold(spawn('S'), idle('S')).subagents).toMatchObject([{ status: 'running' }])
})

it('session:idle for an unknown conversation changes and creates nothing', () => {
  const { before, after, issue } = lastStep(idle('nobody'))
  expect(after).toBe(before)
  expect(issue).toBeUndefined()
})

it('session:idle without a conversationId goes to main', () => {
  const state = fold(spawn('S'), upsert(text('a'), 'S'), upsert(text('a')), { type: 'session:idle' })
  expect(findBlock(state, 'main', 'a')?.status).toBe('complete')
  expect(findBlock(state, 'S', 'a')?.status).toBe('pending')
})
