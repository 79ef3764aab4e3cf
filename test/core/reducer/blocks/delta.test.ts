import { describe, expect, it } from 'vitest'
import { findBlock } from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import { delta, fold, lastStep, places, spawn, text, toolUse, upsert } from '../example.ts'

const base = { id: 'a', status: 'pending' } as const

describe.each(places)('block:delta in $place', ({ conversationId, start }) => {
  const put = (block: IncomingBlock) => upsert(block, conversationId)
  const say = (words: string, blockId = 'a') => delta(blockId, words, conversationId)

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

  it('changes nothing when it is empty, for a known or an unknown block', () => {
    for (const blockId of ['a', 'unknown']) {
      const { before, after, issue } = lastStep(...start, put(text('a')), say('', blockId))
      expect(after).toBe(before)
      expect(issue).toBeUndefined()
    }
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
})
