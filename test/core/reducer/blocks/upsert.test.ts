import { describe, expect, it } from 'vitest'
import { findBlock, reduceSessionEvent } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import { blocksOf, fold, places, spawn, text, toolUse, upsert } from '../example.ts'

describe.each(places)('block:upsert in $place', ({ conversationId, canonicalId, start }) => {
  const put = (block: IncomingBlock) => upsert(block, conversationId)

  it('replaces the whole block', () => {
    const state = fold(...start, put(text('a', { messageId: 'm', content: 'old' })), put(text('a')))
    expect(blocksOf(state, conversationId)).toEqual([{ ...text('a'), conversationId: canonicalId }])
  })
})

describe('the conversation of a block:upsert', () => {
  const block = { ...text('a'), conversationId: 'T' }

  it('is the event’s conversationId, even if the block has another', () => {
    const state = fold({ type: 'block:upsert', conversationId: 'main', block })
    expect(state.blocks).toMatchObject([{ id: 'a', conversationId: 'main' }])
    expect(state.subagents).toEqual([])
  })

  it('is main if neither names one', () => {
    expect(fold({ type: 'block:upsert', block: text('a') }).blocks).toHaveLength(1)
  })

  it('separates blocks with the same id', () => {
    const inMain = upsert(text('a', { content: 'of main' }))
    const state = fold(spawn('S'), inMain, upsert(text('a', { content: 'of S' }), 'S'))
    expect(findBlock(state, 'main', 'a')).toMatchObject({ content: 'of main', conversationId: 'main' })
    expect(findBlock(state, 'S', 'a')).toMatchObject({ content: 'of S', conversationId: 'S' })
  })
})

it('compares values up to the greatest depth', () => {
  const input = (leaf: string): unknown => JSON.parse(`${'['.repeat(254)}${leaf}${']'.repeat(254)}`)
  const state = fold(upsert(toolUse('a', { input: input('1') })))
  expect(reduceSessionEvent(state, upsert(toolUse('a', { input: input('1') })))).toBe(state)
  expect(reduceSessionEvent(state, upsert(toolUse('a', { input: input('2') })))).not.toBe(state)
})
