import { expect, it } from 'vitest'
import { alignIds } from '../../../src/checks/parity/align.ts'
import { createInitialConversationState } from '../../../src/entries/index.ts'
import { errorBlock, systemNote, toolResult, toolUse } from './states.ts'

const stateOf = (blocks: Parameters<typeof alignIds>[0]['blocks']) => ({
  ...createInitialConversationState(),
  blocks,
})

it('pairs calls whose input has its keys in another order', () => {
  const call = (id: string, input: unknown) => ({ ...toolUse(id, id), input })
  const live = stateOf([call('own', { a: { x: 1, y: 2 }, b: [1] }), toolResult('own')])
  const stored = stateOf([call('call', { b: [1], a: { y: 2, x: 1 } }), toolResult('call')])
  expect(alignIds(live, stored).blocks.map(({ id }) => id)).toEqual(stored.blocks.map(({ id }) => id))
})

it('pairs errors and notes, and leaves blocks without a partner', () => {
  const live = stateOf([errorBlock('own'), systemNote('warning', 'note'), toolUse('alone', 'alone')])
  const stored = stateOf([
    { ...errorBlock('own'), id: 'error' },
    { ...systemNote('warning'), id: 'stored' },
  ])
  expect(alignIds(live, stored).blocks.map(({ id }) => id)).toEqual(['error', 'stored', 'alone'])
})
