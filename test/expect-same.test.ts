import { expect, it } from 'vitest'
import { expectSame } from './expect-same.ts'

const place = { recording: 'claude-sdk, 03-tools, stream', cut: '4 of 9' }

it('takes equal values', () => {
  expect(() => expectSame({ a: [1] }, { a: [1] }, place)).not.toThrow()
})

it('says what broke: recording, cut, place, expected and actual', () => {
  const state = (content: string) => ({ blocks: [{ id: 'a' }, { id: 'b', content }] })
  expect(() => expectSame(state('Hi'), state('Hi.'), place)).toThrow(
    [
      'recording: claude-sdk, 03-tools, stream',
      'cut: 4 of 9',
      'differs at: blocks.1.content',
      'expected: "Hi."',
      'actual: "Hi"',
    ].join('\n'),
  )
})

it('says that a part is missing', () => {
  expect(() => expectSame({ blocks: [1] }, { blocks: [1, 2] }, place)).toThrow(
    /differs at: blocks\.1\nexpected: 2\nactual: nothing$/,
  )
})

it('has at most ten lines, and no value that fills the screen', () => {
  expect.assertions(2)
  try {
    expectSame({ text: 'x\n'.repeat(10_000) }, { text: '' }, place)
  } catch (error) {
    const { message } = Object(error)
    expect(message.split('\n').length).toBeLessThanOrEqual(10)
    expect(message.length).toBeLessThan(1000)
  }
})
