import { describe, expect, it } from 'vitest'
import type { BlockType } from '../../../../src/core/state/block.ts'
import { findBlock, reduceSessionEvent, type SessionEvent } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import { blocksOf, fold, fromWire, lastStep, places, spawn, text, toolUse, upsert } from '../example.ts'

describe.each(places)('block:upsert in $place', ({ conversationId, canonicalId, start }) => {
  const put = (block: IncomingBlock) => upsert(block, conversationId)

  it('appends a new block', () => {
    const state = fold(...start, put(text('a')), put(text('b')))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('replaces the whole block', () => {
    const state = fold(...start, put(text('a', { messageId: 'm', content: 'old' })), put(text('a')))
    expect(blocksOf(state, conversationId)).toEqual([{ ...text('a'), conversationId: canonicalId }])
  })

  it('replaces a block by one of another type', () => {
    const state = fold(...start, put(text('a')), put(toolUse('a')))
    expect(blocksOf(state, conversationId)).toEqual([{ ...toolUse('a'), conversationId: canonicalId }])
  })

  it('replaces in place', () => {
    const state = fold(...start, put(text('a')), put(text('b')), put(text('a', { content: 'new' })))
    expect(blocksOf(state, conversationId).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('stores the canonical conversationId instead of the block’s own', () => {
    const state = fold(...start, put({ ...text('a'), conversationId: 'elsewhere' }))
    expect(blocksOf(state, conversationId)[0]?.conversationId).toBe(canonicalId)
    expect(blocksOf(state, 'elsewhere')).toEqual([])
  })

  it('keeps unknown fields', () => {
    const state = fold(
      ...start,
      fromWire({ ...put(text('a')), block: { ...text('a'), extra: { deep: [1] } } }),
    )
    expect(blocksOf(state, conversationId)[0]).toHaveProperty('extra', { deep: [1] })
  })

  it('stores no key whose value is undefined', () => {
    const state = fold(...start, put(Object.assign(text('a'), { model: undefined })))
    expect(Object.keys(blocksOf(state, conversationId)[0] ?? {})).not.toContain('model')
  })

  it('keeps the references of the other blocks', () => {
    const { before, after } = lastStep(
      ...start,
      put(text('a')),
      put(text('b')),
      put(text('b', { content: '!' })),
    )
    expect(blocksOf(after, conversationId)[0]).toBe(blocksOf(before, conversationId)[0])
  })

  it.each(['complete', 'error'] as const)(
    'refuses to replace a block that is %s by a pending one',
    (status) => {
      const final = put(text('a', { status, content: 'all' }))
      const { before, after, issue } = lastStep(...start, final, put(text('a', { content: 'al' })))
      expect(after).toBe(before)
      expect(issue?.code).toBe('stale-upsert')
    },
  )

  it.each([
    ['pending', 'pending'],
    ['pending', 'complete'],
    ['pending', 'error'],
    ['complete', 'error'],
    ['error', 'complete'],
  ] as const)('replaces a block that is %s by one that is %s', (first, second) => {
    const { after, issue } = lastStep(
      ...start,
      put(text('a', { status: first, content: 'old' })),
      put(text('a', { status: second, content: 'new' })),
    )
    expect(blocksOf(after, conversationId)).toMatchObject([{ status: second, content: 'new' }])
    expect(issue).toBeUndefined()
  })

  it('changes nothing when the block is equal, in any order of keys', () => {
    const block = toolUse('a', { input: { a: [1, { b: null }], c: '' } })
    const same = fromWire(put(toolUse('a', { input: { c: '', a: [1, { b: null }] } })))
    const { before, after } = lastStep(...start, put(block), same)
    expect(after).toBe(before)
  })

  it.each([
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: undefined }, { b: undefined }],
    [{}, []],
    [{}, null],
    ['1', 1],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])('treats a tool’s input %j and %j as different', (first, second) => {
    const { after } = lastStep(
      ...start,
      put(toolUse('a', { input: first })),
      put(toolUse('a', { input: second })),
    )
    const block = findBlock(after, conversationId, 'a')
    expect(block?.type === 'tool_use' && block.input).toBe(second)
  })
})

describe('the conversation of a block:upsert', () => {
  const block = { ...text('a'), conversationId: 'T' }

  it('is the event’s conversationId, even if the block has another', () => {
    const state = fold({ type: 'block:upsert', conversationId: 'main', block })
    expect(state.blocks).toMatchObject([{ id: 'a', conversationId: 'main' }])
    expect(state.subagents).toEqual([])
  })

  it('is the block’s own conversationId if the event has none', () => {
    const state = fold({ type: 'block:upsert', block })
    expect(blocksOf(state, 'T')).toMatchObject([{ id: 'a', conversationId: 'T' }])
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

const plain: Readonly<Record<Exclude<BlockType, 'subagent'>, object>> = {
  user_message: { content: '' },
  assistant_text: { content: '' },
  thinking: { content: '' },
  tool_use: { toolName: '', toolUseId: '', input: null },
  tool_result: { toolUseId: '', output: null, isError: false },
  request: { kind: 'permission', title: '' },
  system: { subtype: '', message: '' },
  error: { message: '' },
  skill_load: { skillName: '', content: '' },
}

describe.each(Object.entries(plain))('a block of type %s', (type, fields) => {
  const put = (id: string): SessionEvent =>
    fromWire({ type: 'block:upsert', block: { id, type, status: 'complete', ...fields } })

  it('is stored unchanged', () => {
    expect(fold(put('a')).blocks).toEqual([
      { id: 'a', type, status: 'complete', conversationId: 'main', ...fields },
    ])
  })

  it.each(['subagent:S', 'subagent:', 'subagent:other'])(
    'is refused under the id of a subagent’s block: %s',
    (id) => {
      const { before, after, issue } = lastStep(spawn('S'), put(id))
      expect(after).toBe(before)
      expect(issue?.code).toBe('reserved-id')
    },
  )
})

it('creates no conversation for a block under a reserved id', () => {
  const { before, after } = lastStep(upsert(text('subagent:T'), 'T'))
  expect(after).toBe(before)
})

it('compares values up to the greatest depth', () => {
  const input = (leaf: string): unknown => JSON.parse(`${'['.repeat(254)}${leaf}${']'.repeat(254)}`)
  const state = fold(upsert(toolUse('a', { input: input('1') })))
  expect(reduceSessionEvent(state, upsert(toolUse('a', { input: input('1') })))).toBe(state)
  expect(reduceSessionEvent(state, upsert(toolUse('a', { input: input('2') })))).not.toBe(state)
})
