import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agUiSink, agUiSource } from '../../../src/entries/ag-ui.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  parseTranscript,
  reduceSessionEvents,
  type SessionEvent,
  sessionStatus,
} from '../../../src/entries/index.ts'
import { checkSource } from '../../../src/entries/testing.ts'
import { eventsOf, inputs } from '../inputs.ts'
import { carried, read, write } from './carried.ts'

/** Each recording has one size of batches. */
const sessions = inputs.map((input, at) => ({
  name: input.name,
  events: eventsOf(input),
  size: [1, 7, Number.POSITIVE_INFINITY][at % 3] ?? 1,
}))

describe('a session is the same after its way out and in again', () => {
  it.each(sessions)('$name, in batches of $size', ({ events, size }) => {
    const { state, wire, hasUnlinkedAgents } = write(events, size)
    // AG-UI has no agents without a parent: main gets them.
    if (!hasUnlinkedAgents) expect(carried(read(wire))).toEqual(carried(state))
  })

  it('of any session that a program may report', () => {
    fc.assert(
      fc.property(sessionLog(), fc.integer({ min: 1, max: 9 }), (events, size) => {
        const { state, wire, hasUnlinkedAgents } = write(events, size)
        if (!hasUnlinkedAgents) expect(carried(read(wire))).toEqual(carried(state))
      }),
      { numRuns: 20 },
    )
  })

  it('as server-sent events', () => {
    const { state, wire } = write(sessions[0]?.events ?? [], 1)
    const raw = wire.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    expect(carried(parseTranscript('ag-ui', raw))).toEqual(carried(state))
  })
})

const short = sessions.filter(({ events }) => events.length < 60)

it.each(short.filter((_, at) => at % 8 === 0))(
  'the status of main and of each agent is the true one at any moment $name',
  ({ events }) => {
    if (!write(events, 1).hasUnlinkedAgents) checkStatus(events)
  },
)

/** The agents that outlive a turn keep its run open, so `background` is not visible. */
function checkStatus(events: readonly SessionEvent[]): void {
  let state = createInitialConversationState()
  let [memory, back] = [agUiSink.initial, agUiSource.open()]
  for (const [at, event] of events.entries()) {
    state = reduceSessionEvents(state, [event])
    const step = agUiSink.translate(memory, state)
    memory = step.memory
    back = agUiSource.read(back, JSON.parse(JSON.stringify(step.out))).session
    const expected = sessionStatus(state)
    if (expected === 'idle') continue
    expect([at, sessionStatus(back.state)]).toEqual([at, expected === 'background' ? 'running' : expected])
    const statuses = ({ subagents }: typeof state) =>
      subagents.map(({ toolUseId, status }) => [toolUseId, status])
    expect(new Map(statuses(back.state) as [string, string][])).toEqual(
      new Map(statuses(state) as [string, string][]),
    )
  }
}

describe('the streams of the sink keep the laws of a source', () => {
  const sample = sessions.filter(({ events }) => events.length < 200).filter((_, at) => at % 12 === 0)
  it.each(sample)('$name', ({ events }) => {
    checkSource(agUiSource, write(events, 3).wire)
  })
})
