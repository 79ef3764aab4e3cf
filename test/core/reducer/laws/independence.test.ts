import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { complete, spawn } from '../example.ts'
import { anyEvent } from './logs.ts'

type Log = readonly SessionEvent[]

const empty = createInitialConversationState()

// Main started T1 and T3, and T1 started T2. Each agent's own log uses one of its two ids throughout. Only the log of
// its parent links both ids.
const family: fc.Arbitrary<readonly Log[]> = fc
  .tuple(reference(1), reference(2), reference(3))
  .chain(([first, second, third]) =>
    fc.tuple(
      parentLog('main', [1, 3]),
      parentLog(first, [2]).chain((log) => ended(log, first)),
      ownLog(second).chain((log) => ended(log, second)),
      ownLog(third).chain((log) => ended(log, third)),
    ),
  )
const picks = fc.array(fc.nat({ max: 3 }), { maxLength: 80, size: 'max' })

it('gives each conversation the same content for every way to interleave their logs', () => {
  fc.assert(
    fc.property(family, picks, (logs, order) => {
      const together = reduceSessionEvents(empty, interleave(logs, order))
      const oneAfterTheOther = reduceSessionEvents(empty, logs.flat())
      expect(threadsOf(together)).toEqual(threadsOf(oneAfterTheOther))
    }),
    { numRuns: runs(300) },
  )
})

it('gives each conversation the same content, whether its log comes before or after its parent’s', () => {
  fc.assert(
    fc.property(family, (logs) => {
      const childrenFirst = reduceSessionEvents(empty, [...logs].reverse().flat())
      expect(threadsOf(childrenFirst)).toEqual(threadsOf(reduceSessionEvents(empty, logs.flat())))
    }),
    { numRuns: runs(200) },
  )
})

function threadsOf(state: SessionConversationState): unknown {
  const subagents = state.subagents.map((subagent) => [subagent.toolUseId, subagent] as const)
  return { main: { blocks: state.blocks, usage: state.usage }, subagents: new Map(subagents) }
}

function reference(n: number): fc.Arbitrary<string> {
  return fc.constantFrom(`T${n}`, `agent-${n}`)
}

/** An event within one conversation. */
function ownLog(conversationId: string): fc.Arbitrary<Log> {
  const own = anyEvent
    .filter((event) => !event.type.startsWith('subagent:') && event.type !== 'session:updated')
    .filter((event) => event.type !== 'block:upsert' || event.block.type !== 'subagent')
    .map((event) => ({ ...event, conversationId }))
  return fc.array(own, { maxLength: 15, size: 'max' })
}

/** The same with a spawn of each child. A second spawn brings the agent's id. */
function parentLog(conversationId: string, children: readonly number[]): fc.Arbitrary<Log> {
  const parts = fc.tuple(ownLog(conversationId), ownLog(conversationId), ownLog(conversationId))
  return parts.map(([before, between, after]) => [
    ...before,
    ...children.map((n) => spawn(`T${n}`, { conversationId })),
    ...between,
    ...children.map((n) => spawn(`T${n}`, { conversationId, agentId: `agent-${n}` })),
    ...after,
  ])
}

function ended(log: Log, toolUseId: string): fc.Arbitrary<Log> {
  return fc.constantFrom(log, [...log, complete(toolUseId, { output: 'done' })])
}

/** Takes each event from the picked log. Events that no pick takes follow at the end. */
function interleave(logs: readonly Log[], order: readonly number[]): Log {
  const queues = logs.map((log) => [...log])
  const picked = order.flatMap((at) => queues[at]?.shift() ?? [])
  return [...picked, ...queues.flat()]
}
