import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  findConversation,
  isConversationEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { statesOf } from '../example.ts'
import { aliasLog, log } from './logs.ts'

const empty = createInitialConversationState()
const logs = fc.oneof(log, aliasLog, sessionLog())
const picks = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })

/** The end of an input cuts the turn and every agent that has not ended. */
function cutsOf({ turn, subagents }: SessionConversationState): readonly SessionEvent[] {
  const agents = subagents.filter(({ status }) => status === 'running' || status === 'pending')
  return [
    ...agents.map(({ toolUseId }) => cutAgent(toolUseId)),
    ...(turn.status === 'running' ? [{ type: 'session:idle', cut: true } as const] : []),
  ]
}

function cutAgent(toolUseId: string): SessionEvent {
  return { type: 'subagent:completed', toolUseId, status: 'error', cut: true }
}

/** A later input goes on with each of them. */
function continuationOf(cut: SessionEvent): SessionEvent {
  return cut.type === 'subagent:completed'
    ? { type: 'subagent:resumed', toolUseId: cut.toolUseId, continues: true }
    : { type: 'session:running', continues: true }
}

describe('a session that is cut and continues', () => {
  it('is the session that never was cut, wherever, whatever and how often it is cut', () => {
    fc.assert(
      fc.property(logs, picks, fc.boolean(), (events, isPicked, isReversed) => {
        let cut = empty
        for (const [at, event] of events.entries()) {
          const cuts = cutsOf(cut).filter((_, index) => isPicked[(at + index) % isPicked.length])
          const continuations = cuts.map(continuationOf)
          cut = reduceSessionEvents(cut, [
            ...cuts,
            ...(isReversed ? continuations.reverse() : continuations),
            event,
          ])
        }
        expect(cut).toEqual(reduceSessionEvents(empty, events))
      }),
      { numRuns: runs(300) },
    )
  })

  it('has lost nothing of the deltas, final blocks, removals, tokens and plans in between', () => {
    fc.assert(
      fc.property(logs, logs, fc.nat(), (events, others, at) => {
        const before = reduceSessionEvents(empty, events.slice(0, at % (events.length + 1)))
        const cuts = cutsOf(before)
        const between = others.filter(isHarmless)
        const cut = reduceSessionEvents(before, [...cuts, ...between, ...cuts.map(continuationOf)])
        expect(cut).toEqual(reduceSessionEvents(before, between))
      }),
      { numRuns: runs(300) },
    )
  })

  it('ends as one that never was cut: the end of a turn or a run needs no continuation', () => {
    fc.assert(
      fc.property(logs, (events) => {
        for (const state of statesOf(events)) {
          const cuts = cutsOf(state)
          const ends = cuts.map(endOf)
          expect(reduceSessionEvents(state, [...cuts, ...ends])).toEqual(reduceSessionEvents(state, ends))
        }
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the end of an input', () => {
  it('leaves no turn and no agent that runs, and no pending block of theirs', () => {
    fc.assert(
      fc.property(logs, (events) => {
        for (const state of statesOf(events)) {
          const after = reduceSessionEvents(state, cutsOf(state))
          assert.deepEqual(cutsOf(after), [])
          for (const cut of cutsOf(state)) {
            const id = cut.type === 'subagent:completed' ? cut.toolUseId : 'main'
            for (const { type, status } of findConversation(after, id)?.blocks ?? [])
              assert(type === 'subagent' || status !== 'pending')
          }
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('changes nothing when it is repeated, and neither does a continuation', () => {
    fc.assert(
      fc.property(logs, (events) => {
        const state = reduceSessionEvents(empty, events)
        const cuts = cutsOf(state)
        const continuations = cuts.map(continuationOf)
        for (const event of continuations) expect(reduceSessionEvent(state, event)).toBe(state)
        const cut = reduceSessionEvents(state, cuts)
        expect(reduceSessionEvents(cut, cuts)).toBe(cut)
        const continued = reduceSessionEvents(cut, continuations)
        expect(reduceSessionEvents(continued, continuations)).toBe(continued)
      }),
    )
  })
})

function endOf(cut: SessionEvent): SessionEvent {
  if (cut.type === 'subagent:completed') return { ...complete(cut.toolUseId), status: 'completed' }
  return { type: 'session:idle', outcome: 'finished', timestamp: '2025-01-01T00:00:09Z' }
}

function complete(toolUseId: string) {
  return { type: 'subagent:completed', toolUseId, status: 'error', output: 'done' } as const
}

const HARMLESS = ['block:delta', 'block:removed', 'usage:reported', 'todos:updated', 'session:updated']

/** Whether the event loses nothing if no continuation comes before it. A pending block, a start and an end of a run need one. */
function isHarmless(event: SessionEvent): boolean {
  if (!isConversationEvent(event) || event.type !== 'block:upsert') return HARMLESS.includes(event?.type)
  const { type, status } = event.block
  return type !== 'subagent' && type !== 'user_message' && status !== 'pending'
}
