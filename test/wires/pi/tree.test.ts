import { describe, expect, it } from 'vitest'
import { branches } from '../../../src/entries/index.ts'
import { entry, read, says, textsOf, user } from './made-lines.ts'

const message = (id: string, parentId: string | null, text: string, second: number) =>
  entry(id, parentId, { message: id.startsWith('u') ? user(second, text) : says(second, text) })

const first = [
  message('u1', null, 'Plan.', 1),
  message('a1', 'u1', 'By boat.', 2),
  message('u2', 'a1', 'The cost?', 3),
  message('a2', 'u2', 'Ten.', 4),
]

const routes = (messages: readonly unknown[]) => {
  const { state, issues } = read(messages)
  expect(issues).toEqual([])
  return [textsOf(state.blocks), ...branches(state).map(({ blocks }) => textsOf(blocks))]
}

describe('the tree of a file', () => {
  it('starts again at the first prompt', () => {
    expect(routes([...first, message('u3', null, 'Another plan.', 5)])).toEqual([
      ['Another plan.'],
      ['Plan.', 'By boat.', 'The cost?', 'Ten.'],
    ])
  })

  it('ends where entries hang on each other in a circle', () => {
    const circle = [message('u1', 'a1', 'Plan.', 1), message('a1', 'u1', 'By boat.', 2)]
    const next = message('u2', 'u1', 'By train?', 3)
    expect(routes([...circle, next])).toEqual([['Plan.', 'By boat.', 'By train?']])
  })

  it('returns to the middle of a branch', () => {
    const other = [message('u3', 'a1', 'By train?', 5), message('a3', 'u3', 'Six.', 6)]
    const [main, ...left] = routes([...first, ...other, message('u4', 'u2', 'So?', 7)])
    expect(main).toEqual(['Plan.', 'By boat.', 'The cost?', 'So?'])
    expect(new Set(left.map((texts) => texts.join()))).toEqual(new Set(['Ten.', 'By train?,Six.']))
  })

  it('goes on after an entry whose parent the reader has missed', () => {
    expect(routes([message('u2', 'a1', 'The cost?', 3), message('u3', 'x', 'So?', 5)])).toEqual([
      ['The cost?', 'So?'],
    ])
  })

  // OpenClaw has both, and no recording shows them.
  it('leaves out entries beside the conversation, and goes on at the leaf that a line names', () => {
    const side = { ...message('a9', 'a2', 'Aside.', 5), appendMode: 'side' }
    const { state } = read([...first, side, { type: 'leaf', targetId: 'a1' }])
    expect(textsOf(state.blocks)).toEqual(['Plan.', 'By boat.'])
    expect(state.session.program).toBe('openclaw')
  })
})
