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

function inConversation(event: fc.Arbitrary<SessionEvent>): fc.Arbitrary<SessionEvent> {
  return fc.tuple(event, ofOneAgent).map(([one, conversationId]) => ({ ...one, conversationId }))
}
