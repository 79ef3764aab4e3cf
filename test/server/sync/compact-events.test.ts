import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { malformedEvent, sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { compactEvents } from '../../../src/entries/sync.ts'
import { delta, idle, remove, text, upsert, usage } from '../../core/reducer/example.ts'
import { runs } from '../../depth.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { eventsOf, inputs } from '../../wires/inputs.ts'

const logs = fc.oneof(sessionLog(), unrulyEvents())

/** Checks that the part of a log folds to the same state after it was compacted, with what stands before it and after it. */
function expectSameState(log: readonly SessionEvent[], from = 0, to = log.length): readonly SessionEvent[] {
  const before = reduceSessionEvents(createInitialConversationState(), log.slice(0, from))
  const compacted = compactEvents(log.slice(from, to))
  const whole = reduceSessionEvents(before, log.slice(from))
  expect(reduceSessionEvents(before, [...compacted, ...log.slice(to)])).toEqual(whole)
  return compacted
}

describe('a compacted log', () => {
  it('folds to the same state, whichever part of the log it is', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (log, one, other) => {
        const [from, to] = [one % (log.length + 1), other % (log.length + 1)].sort(
          (left, right) => left - right,
        )
        const compacted = expectSameState(log, from, to)
        expect(compacted.length).toBeLessThanOrEqual(log.length)
        expect(compactEvents(compacted)).toEqual(compacted)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('folds to the same state for every recording, in parts of any length', () => {
    for (const input of inputs) {
      const events = eventsOf(input)
      expectSameState(events)
      const third = Math.ceil(events.length / 3)
      expectSameState(events, third, 2 * third)
    }
  })

  it('has at most a tenth of the events of a recorded token stream', () => {
    const ratios = inputs.flatMap((input) => {
      const events = eventsOf(input)
      const deltas = events.filter(({ type }) => type === 'block:delta').length
      return deltas === 0 || deltas < 0.9 * events.length
        ? []
        : [compactEvents(events).length / events.length]
    })
    expect(ratios.length).toBeGreaterThan(0)
    expect(Math.max(...ratios)).toBeLessThanOrEqual(0.1)
  })

  it('has one upsert and one delta of a text that still streams', () => {
    const stream = ['a', 'b', '', 'c'].map((each) => delta('t', each))
    expect(compactEvents([upsert(text('t')), ...stream])).toEqual([upsert(text('t')), delta('t', 'abc')])
  })

  it('has no deltas of a text that is final or gone', () => {
    const final = upsert(text('t', { content: 'ab', status: 'complete' }))
    const stream = [upsert(text('t')), delta('t', 'a'), delta('t', 'b')]
    expect(compactEvents([...stream, final])).toEqual([upsert(text('t')), final])
    expect(compactEvents([...stream, remove('t')])).toEqual([upsert(text('t')), remove('t')])
  })

  it('has the last tokens of a message, plan and facts, at the place of the first', () => {
    const facts = (fields: { model?: string; title?: string }) =>
      ({ type: 'session:updated', facts: fields }) as const
    const todos = (word: string) =>
      ({ type: 'todos:updated', todos: [{ text: word, status: 'pending' }] }) as const
    const log = [
      ...[usage('m', 1, { final: false }), todos('one'), facts({ model: 'a' }), usage('m', 2)],
      ...[todos('two'), facts({ model: 'b' }), usage('m', 3, { final: false })],
    ]
    expect(compactEvents(log)).toEqual([usage('m', 2), todos('two'), facts({ model: 'b' })])
  })

  it('starts again where a conversation is named by another id, and where ids are linked', () => {
    const log = [delta('t', 'a', 'T'), delta('t', 'b', 'A'), delta('t', 'c', 'T')]
    expect(compactEvents(log)).toEqual(log)
    const linked = { type: 'subagent:completed', toolUseId: 'T', agentId: 'A', status: 'completed' } as const
    expect(compactEvents([delta('t', 'a', 'T'), linked, delta('t', 'b', 'T')])).toHaveLength(3)
  })

  it('keeps values that are no events', () => {
    fc.assert(
      fc.property(malformedEvent(), (value) => {
        const log = [delta('t', 'a'), value, delta('t', 'b')] as SessionEvent[]
        expect(compactEvents(log)).toEqual(log)
      }),
    )
  })

  it('keeps a pending block before the end of a turn, which makes it final', () => {
    const log = [upsert(text('t', { content: 'a' })), idle(), upsert(text('t', { content: 'b' }))]
    expect(compactEvents(log)).toEqual(log)
  })
})
