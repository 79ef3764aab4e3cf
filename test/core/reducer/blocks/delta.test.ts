import { describe, expect, it } from 'vitest'
import { findBlock } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import { delta, fold, fromWire, idle, lastStep, places, spawn, text, toolUse, upsert } from '../example.ts'

const base = { id: 'a', status: 'pending' } as const

describe.each(places)('block:delta in $place', ({ conversationId, start }) => {
  const put = (block: IncomingBlock) => upsert(block, conversationId)
  const say = (words: string, blockId = 'a') => delta(blockId, words, conversationId)

  it('appends to the block’s content at every delta', () => {
    const first = fold(...start, put(text('a')), say('one'))
    const second = fold(...start, put(text('a')), say('one'), say(' two'))
    expect(findBlock(first, conversationId, 'a')).toMatchObject({ content: 'one', status: 'pending' })
    expect(findBlock(second, conversationId, 'a')).toMatchObject({ content: 'one two', status: 'pending' })
  })

  it.each<IncomingBlock>([
    { ...base, type: 'assistant_text', content: 'x' },
    { ...base, type: 'thinking', content: 'x' },
    { ...base, type: 'user_message', content: 'x' },
    { ...base, type: 'skill_load', skillName: 's', content: 'x' },
  ])('appends to the text of a block of type $type', (block) => {
    const { after, issue } = lastStep(...start, put(block), say('y'))
    expect(findBlock(after, conversationId, 'a')).toMatchObject({ content: 'xy' })
    expect(issue).toBeUndefined()
  })

  it.each<IncomingBlock>([
    { ...base, type: 'user_message', content: [{ type: 'text', text: 'x' }] },
    { ...base, type: 'tool_use', toolName: 't', toolUseId: 'u', input: {} },
    { ...base, type: 'tool_result', toolUseId: 'u', output: 'x', isError: false },
    { ...base, type: 'system', subtype: 's', message: 'x' },
    { ...base, type: 'error', message: 'x' },
  ])('is ignored for a block of type $type without text', (block) => {
    const { before, after, issue } = lastStep(...start, put(block), say('y'))
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-without-text')
  })

  it('is ignored for a content that is no string', () => {
    const odd = fromWire({ ...put(toolUse('a')), block: { ...toolUse('a'), content: 1 } })
    const { before, after, issue } = lastStep(...start, odd, say('y'))
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-without-text')
  })

  it('is ignored for a subagent’s block', () => {
    const { before, after, issue } = lastStep(
      ...start,
      spawn('C', { conversationId }),
      say('y', 'subagent:C'),
    )
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-without-text')
  })

  it('is ignored before its block', () => {
    const { before, after, issue } = lastStep(...start, put(text('b')), say('lost'))
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-before-block')
  })

  it('changes nothing when it is empty, for a known or an unknown block', () => {
    for (const blockId of ['a', 'unknown']) {
      const { before, after, issue } = lastStep(...start, put(text('a')), say('', blockId))
      expect(after).toBe(before)
      expect(issue).toBeUndefined()
    }
  })

  it.each(['complete', 'error'] as const)('applies to a block that is %s, with an issue', (status) => {
    const { after, issue } = lastStep(...start, put(text('a', { status, content: 'x' })), say('y'))
    expect(findBlock(after, conversationId, 'a')).toMatchObject({ content: 'xy', status })
    expect(issue?.code).toBe('delta-after-final')
  })

  it('loses no text after an early idle', () => {
    const state = fold(...start, put(text('a')), say('one'), idle(conversationId), say(' two'))
    expect(findBlock(state, conversationId, 'a')).toMatchObject({ content: 'one two', status: 'complete' })
  })

  // V8 throws for a longer string, and the batch would lose its other events.
  it('is refused if the text would be longer than 2 ** 28, alone and in a batch', () => {
    const half = 'x'.repeat(2 ** 27)
    const full = [...start, put(text('a', { content: half })), put(text('b')), say(half)]
    const { before, after, issue } = lastStep(...full, say('y'))
    expect(findBlock(before, conversationId, 'a')).toHaveProperty('content.length', 2 ** 28)
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-too-long')
    const state = fold(...full, ...Array.from({ length: 4 }, () => say(half)), say('kept', 'b'))
    expect(findBlock(state, conversationId, 'a')).toHaveProperty('content.length', 2 ** 28)
    expect(findBlock(state, conversationId, 'b')).toMatchObject({ content: 'kept' })
  })

  it('keeps the references of the other blocks', () => {
    const { before, after } = lastStep(...start, put(text('b')), put(text('a')), say('y'))
    expect(findBlock(after, conversationId, 'b')).toBe(findBlock(before, conversationId, 'b'))
  })
})

it('block:delta for an unknown conversation is ignored and creates nothing', () => {
  const { before, after, issue } = lastStep(delta('a', 'lost', 'nobody'))
  expect(after).toBe(before)
  expect(issue?.code).toBe('delta-before-block')
})

it('an empty block:delta for an unknown conversation has no issue', () => {
  const { before, after, issue } = lastStep(delta('a', '', 'nobody'))
  expect(after).toBe(before)
  expect(issue).toBeUndefined()
})

it('block:delta without a conversationId goes to main', () => {
  const state = fold(spawn('S'), upsert(text('a'), 'S'), upsert(text('a')), {
    type: 'block:delta',
    blockId: 'a',
    delta: 'y',
  })
  expect(findBlock(state, 'main', 'a')).toMatchObject({ content: 'y' })
  expect(findBlock(state, 'S', 'a')).toMatchObject({ content: '' })
})

describe.each(places)('block:delta for a tool call in $place', ({ conversationId, start }) => {
  const call = (fields: object) =>
    upsert(toolUse('c', { status: 'pending', input: {}, ...fields }), conversationId)
  const type = (json: string) => delta('c', json, conversationId)

  it('appends to the input’s text', () => {
    const state = fold(...start, call({ inputText: '' }), type('{"pa'), type('th":1}'))
    expect(findBlock(state, conversationId, 'c')).toMatchObject({ input: {}, inputText: '{"path":1}' })
  })

  it('changes nothing once the input is known', () => {
    const { before, after, issue } = lastStep(
      ...start,
      call({ inputText: '{' }),
      call({ input: { path: 1 } }),
      type('}'),
    )
    expect(after).toBe(before)
    expect(issue?.code).toBe('delta-without-text')
  })
})
