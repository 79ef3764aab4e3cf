import { expect, it } from 'vitest'
import { createInitialConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { toolUse } from './states.ts'

const empty = createInitialConversationState()
const session = { program: 'opencode' }

// They were the arguments of one call, which overflowed the stack.
it('lines of `opencode run` may report the 200,000 calls of a message in another order', () => {
  const calls = Array.from({ length: 200_000 }, (_, place) => ({ ...toolUse(`t${place}`), messageId: 'm' }))
  const live = { ...empty, session, blocks: [...calls].reverse() }
  expect(compareSessions(live, { ...empty, session, blocks: calls })).toEqual({
    differences: [],
    excluded: [{ kind: 'tool-use-place', side: 'live', count: 200_000 }],
  })
})
