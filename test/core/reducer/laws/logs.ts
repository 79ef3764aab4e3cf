import fc from 'fast-check'
import { malformedEvent, sessionEvent } from '../../../../src/entries/arbitraries.ts'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { unrulyEvents } from '../../../unruly-events.ts'

export const log: fc.Arbitrary<SessionEvent[]> = unrulyEvents()
export const anyEvent: fc.Arbitrary<SessionEvent> = sessionEvent()
export const junk: fc.Arbitrary<unknown> = malformedEvent()

/** A JSON value as a parser gives it: plain objects, no negative zero. */
export const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))

const text = fc.constantFrom('', 'a', 'bc')
const runId = fc.constantFrom('r1', 'r2')

const isOfOneConversation = (event: SessionEvent) =>
  event.type === 'usage:reported' ||
  event.type === 'session:idle' ||
  (event.type === 'block:upsert' && event.block.type !== 'subagent')

const ofOneAgent = fc.constantFrom('A', 'X')
const runs = fc.constantFrom('subagent:spawned', 'subagent:completed', 'subagent:resumed')

/** The log of one agent under the ids A and X: events before an event links both ids, the link, and some events after it. */
export const aliasLog: fc.Arbitrary<SessionEvent[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { arbitrary: inConversation(anyEvent.filter(isOfOneConversation)), weight: 6 },
        fc.record(
          {
            type: runs,
            toolUseId: ofOneAgent,
            runId,
            prompt: text,
            status: fc.constant('error'),
            cut: fc.constant(true),
            continues: fc.constant(true),
          },
          { requiredKeys: ['type', 'toolUseId', 'runId', 'prompt', 'status'] },
        ),
      ),
      { maxLength: 12, size: 'max' },
    ),
    fc.record({
      type: fc.constantFrom('subagent:spawned', 'subagent:completed'),
      toolUseId: fc.constant('A'),
      agentId: fc.constant('X'),
      prompt: text,
      status: fc.constant('completed'),
    }),
    fc.array(anyEvent, { maxLength: 4 }),
  )
  .map(([before, link, after]) => JSON.parse(JSON.stringify([...before, link, ...after])))

const ofThree = fc.constantFrom('A', 'F', 'C')
const place = fc.constantFrom('main', 'A', 'F', 'C')

/** The log of agents one of which was known by another id: their runs, calls and texts, and a spawn that names the id before. */
export const formerLog: fc.Arbitrary<SessionEvent[]> = fc
  .array(
    fc.oneof(
      fc.record(
        {
          type: fc.constant('subagent:spawned'),
          toolUseId: ofThree,
          formerId: ofThree,
          conversationId: place,
          agentId: fc.constantFrom('X', 'Y'),
          prompt: text,
        },
        { requiredKeys: ['type', 'toolUseId', 'prompt'] },
      ),
      fc.record({
        type: runs,
        toolUseId: ofThree,
        runId,
        prompt: text,
        status: fc.constant('error'),
        cut: fc.boolean(),
      }),
      fc.record({ type: fc.constant('block:upsert'), conversationId: place, block: callOrAgent() }),
      inConversation(anyEvent.filter(isOfOneConversation)),
    ),
    { maxLength: 12, size: 'max' },
  )
  .map((events) => JSON.parse(JSON.stringify(events)))

/** A call of a tool, or the block of an agent. */
function callOrAgent(): fc.Arbitrary<unknown> {
  return fc.tuple(ofThree, fc.boolean()).map(([id, isCall]) =>
    isCall
      ? { type: 'tool_use', id, toolUseId: id, toolName: 'Task', status: 'pending', input: {} }
      : {
          type: 'subagent',
          id: `subagent:${id}`,
          toolUseId: id,
          status: 'pending',
          input: '',
          inputText: 'a',
        },
  )
}

const tokens = fc.constantFrom(1, 2, 3)

/** The log of an agent whose messages and results state their tokens, in any order. */
export const ledgerLog: fc.Arbitrary<SessionEvent[]> = fc.array(
  fc
    .record(
      {
        messageId: fc.constantFrom('m', 'n', 'result'),
        usage: fc.record(
          { inputTokens: tokens, outputTokens: tokens, unsplitTokens: tokens },
          { requiredKeys: [] },
        ),
        final: fc.boolean(),
        fromResult: fc.constant(true as const),
        conversationId: fc.constantFrom('A', 'main'),
      },
      { requiredKeys: ['messageId', 'usage', 'final', 'conversationId'] },
    )
    .map((event) => ({ type: 'usage:reported' as const, ...event })),
  { maxLength: 8, size: 'max' },
)

function inConversation(event: fc.Arbitrary<SessionEvent>): fc.Arbitrary<SessionEvent> {
  return fc.tuple(event, ofOneAgent).map(([one, conversationId]) => ({ ...one, conversationId }))
}
