import { expect, it } from 'vitest'
import { branches, reduceSessionEvent } from '../../../../src/entries/index.ts'
import { delta, fold, lastStep, remove, spawn, text, upsert } from '../example.ts'

const abandon = (branchId: string, ...blockIds: readonly string[]) =>
  ({ type: 'branch:abandoned', branchId, blockIds }) as const

it('moves the blocks of main to a branch', () => {
  const state = fold(
    upsert(text('a')),
    upsert(text('b', { content: 'gone' })),
    upsert(text('c')),
    abandon('r1', 'c', 'b', 'unknown'),
    upsert(text('d')),
    abandon('r2', 'd'),
  )
  expect(state.blocks.map(({ id }) => id)).toEqual(['a'])
  expect(branches(state)).toMatchObject([
    { id: 'r1', blocks: [{ id: 'c' }, { id: 'b', content: 'gone' }] },
    { id: 'r2', blocks: [{ id: 'd' }] },
  ])
  expect(Object.isFrozen(branches(state)[0])).toBe(true)
})

it('a session without a rewind has no branches', () => {
  const state = fold(upsert(text('a')))
  expect(state).not.toHaveProperty('branches')
  expect(branches(state)).toEqual([])
})

it.each([
  ['unknown blocks', abandon('r', 'x')],
  ['no blocks', abandon('r')],
  ['blocks of a subagent', { ...abandon('r', 'a'), conversationId: 'S' }],
  ['blocks of main under the id of a subagent', { ...abandon('r', 'b'), conversationId: 'S' }],
])('%s change nothing', (_, event) => {
  const { before, after, issue } = lastStep(spawn('S'), upsert(text('a'), 'S'), upsert(text('b')), event)
  expect(after).toBe(before)
  expect(issue).toBeUndefined()
})

it('an abandoned block takes no deltas, and a delta keeps the branches', () => {
  const start = [upsert(text('a', { content: 'x' })), upsert(text('b', { content: 'y' })), abandon('r', 'a')]
  expect(lastStep(...start, delta('a', 'z')).issue?.code).toBe('delta-before-block')
  expect(branches(fold(...start, delta('b', 'z')))).toMatchObject([{ blocks: [{ content: 'x' }] }])
})

// A program may remove the messages of a rewind one by one.
it('several events fill one branch, and a block that returned stands there once', () => {
  const state = fold(
    upsert(text('a')),
    upsert(text('b')),
    abandon('r', 'a'),
    upsert(text('a', { content: 'again' })),
    abandon('r', 'b'),
    abandon('r', 'a'),
  )
  expect(branches(state)).toMatchObject([{ id: 'r', blocks: [{ id: 'b' }, { id: 'a', content: 'again' }] }])
  expect(state.blocks).toEqual([])
})

it('a later event fills its own branch and leaves the others', () => {
  const start = [
    upsert(text('a')),
    upsert(text('b')),
    upsert(text('c')),
    abandon('r1', 'a'),
    abandon('r2', 'b'),
  ]
  const { before, after } = lastStep(...start, abandon('r1', 'c'))
  expect(branches(after)).toMatchObject([
    { id: 'r1', blocks: [{ id: 'a' }, { id: 'c' }] },
    { id: 'r2', blocks: [{ id: 'b' }] },
  ])
  expect(branches(after)[1]).toBe(branches(before)[1])
})

it('a branch leaves with its id, which no agent has', () => {
  const { before, after } = lastStep(upsert(text('a')), spawn('S'), abandon('r', 'a'), remove('r', 'S'))
  expect(after).toBe(before)
  expect(reduceSessionEvent(before, remove('r'))).not.toHaveProperty('branches')
  // A state that no reducer made may have an empty list.
  const foreign = { ...fold(), branches: [] }
  expect(reduceSessionEvent(foreign, remove('r'))).toBe(foreign)
})

// A person may undo a rewind.
const ask = { type: 'user_message', id: 'a', status: 'complete', content: 'Go.' } as const
it('a branch leaves with its mark, and a prompt that returns from it starts no turn', () => {
  const start = fold(upsert(ask), upsert(text('b')), { type: 'session:idle' })
  const mark = upsert({ type: 'system', id: 'r', status: 'complete', subtype: 'rewind', message: 'Rewound' })
  const rewound = [mark, abandon('r', 'a', 'b')].reduce(reduceSessionEvent, start)
  const restored = [
    ...(branches(rewound)[0]?.blocks ?? []).map((block) => upsert(block)),
    { type: 'block:removed', blockId: 'r' } as const,
  ].reduce(reduceSessionEvent, rewound)
  expect(restored).toEqual(start)
  expect(restored).not.toHaveProperty('branches')
})
