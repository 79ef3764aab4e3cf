import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { oracleReduce } from './oracle.ts'

// Many ids: the lists are longer than the tail of a search, so batches build indexes and have to keep them right.
const blockId = fc.nat(90).map((n) => `b${n}`)
const toolUseId = fc.nat(50).map((n) => `t${n}`)
const agentId = fc.nat(50).map((n) => `a${n}`)
const conversationId = fc.oneof(fc.constant('main'), fc.constant('t1'), fc.constant('a1'), toolUseId, agentId)
const status = fc.constantFrom('pending' as const, 'complete' as const)

const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ conversationId, id: blockId, status }).map(
      ({ conversationId, ...block }): SessionEvent => ({
        type: 'block:upsert',
        conversationId,
        block: { type: 'assistant_text', content: '', ...block },
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('block:delta' as const),
      conversationId,
      blockId,
      delta: fc.constant('x'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('block:removed' as const), conversationId, blockId }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('usage:reported' as const),
      conversationId,
      messageId: blockId,
      usage: fc.constant({ inputTokens: 1 }),
      final: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        type: fc.constant('subagent:spawned' as const),
        conversationId,
        toolUseId,
        agentId,
        prompt: fc.constant('do'),
      },
      { requiredKeys: ['type', 'toolUseId', 'prompt'] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant('subagent:completed' as const),
        toolUseId,
        agentId,
        status: fc.constant('completed' as const),
      },
      { requiredKeys: ['type', 'toolUseId', 'status'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('session:idle' as const), conversationId }) },
  {
    weight: 2,
    arbitrary: toolUseId.map(
      (id): SessionEvent => ({
        type: 'block:upsert',
        block: { type: 'subagent', id, toolUseId: id, status: 'pending', input: '' },
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: toolUseId.map((id): SessionEvent => ({ type: 'block:removed', blockId: `subagent:${id}` })),
  },
)

it('a long batch gives the state that the rules give one by one', () => {
  const empty = createInitialConversationState()
  fc.assert(
    fc.property(fc.array(event, { minLength: 150, maxLength: 500, size: 'max' }), (events) => {
      const expected = events.reduce<SessionConversationState>(oracleReduce, empty)
      expect(reduceSessionEvents(empty, events)).toEqual(expected)
      const half = reduceSessionEvents(empty, events.slice(0, 200))
      expect(reduceSessionEvents(half, events.slice(200))).toEqual(expected)
    }),
    { numRuns: 12 },
  )
})
