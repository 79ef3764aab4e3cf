import {
  createInitialConversationState,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../src/entries/index.ts'
import {
  carefulDelta,
  carefulImmerDelta,
  immerReduce,
  mutableDeltas,
  mutableReduce,
  spreadReduce,
} from './baselines.ts'
import { atLeast, atMost, goal, heading, ratio, table, time } from './gates.ts'
import { race, raceCpu } from './measure.ts'
import { delta, interleaved, lastBlock, mixed, stateOf, storedTranscript, transcript } from './workloads.ts'

const empty = createInitialConversationState()

/** What the reducer costs: a delta, a batch of them, a transcript, subagents, and what changes nothing. */
export async function benchReducer(): Promise<void> {
  await benchDelta()
  benchReplay()
  await benchNothing()
}

async function benchDelta(): Promise<void> {
  heading('One delta, and batches of them, by the length of the conversation')
  const rows: string[][] = []
  const perDelta = new Map<number, number>()
  for (const blocks of [10, 100, 1_000, 10_000, 100_000]) {
    const state = stateOf(blocks)
    const event = delta(lastBlock(state))
    // The literal reducer freezes nothing, so it starts from what it would have made.
    const own: SessionConversationState = structuredClone(state)
    const batch = (count: number) => Array.from({ length: count }, () => event)
    const [few, many] = [batch(16), batch(256)]
    const times = await race({
      one: () => reduceSessionEvent(state, event),
      spread: () => spreadReduce(own, event),
      careful: () => carefulDelta(own, event),
      carefulImmer: () => (blocks > 10_000 ? undefined : carefulImmerDelta(state, event)),
      immer: () => (blocks > 10_000 ? undefined : immerReduce(state, event)),
      copy: () => [...own.blocks],
      few: () => reduceSessionEvents(state, few),
      many: () => reduceSessionEvents(state, many),
      loop: () => mutableDeltas(own, many),
    })
    perDelta.set(blocks, times.many / 256)
    rows.push([
      blocks.toLocaleString('en-US'),
      time(times.one),
      time(times.spread),
      time(times.careful),
      blocks > 10_000 ? '–' : time(times.immer),
      blocks > 10_000 ? '–' : time(times.carefulImmer),
      time(times.copy),
      time(times.few / 16),
      time(times.many / 256),
      ratio(times.many / times.loop),
    ])
    if (blocks === 10)
      atLeast('one delta at 10 blocks, against the spread-copy reducer', times.spread / times.one, 1)
    if (blocks === 1_000) {
      atLeast('one delta at 1,000 blocks', times.spread / times.one, 3)
      atMost('a batch of 256 deltas at 1,000 blocks, against a mutable loop', times.many / times.loop, 10)
    }
    if (blocks === 10_000) atLeast('one delta at 10,000 blocks', times.spread / times.one, 5)
  }
  table(
    [
      'blocks',
      'one delta',
      'spread-copy',
      'by hand, searched from the end',
      'immer recipe',
      'immer, searched outside',
      '`[...blocks]`',
      'of 16',
      'of 256',
      'of 256 / mutable loop',
    ],
    rows,
  )
  const growth = (perDelta.get(10_000) ?? 0) / (perDelta.get(10) ?? 1)
  atMost('a delta in a batch of 256, 10,000 blocks against 10', growth, 4)
}

/** Limits with a margin for a busy machine. The goals are 3 for a log and 6 for subagents. */
const REPLAY_LIMITS: ReadonlyMap<string, number> = new Map([
  ['transcript of 10,000 blocks', 5],
  ['10,000 stored blocks', 4],
  ['1,000 subagents at once', 12],
  ['mixed, 20,000 events', 8],
])

function benchReplay(): void {
  heading('A whole log in one batch, per event')
  const logs: readonly (readonly [string, readonly SessionEvent[]])[] = [
    ...[1_000, 10_000, 100_000].map(
      (n) => [`transcript of ${n.toLocaleString('en-US')} blocks`, transcript(n)] as const,
    ),
    ...[1_000, 10_000].map(
      (n) => [`${n.toLocaleString('en-US')} stored blocks`, storedTranscript(n)] as const,
    ),
    ...[10, 100, 1_000, 10_000].map(
      (n) => [`${n.toLocaleString('en-US')} subagents at once`, interleaved(n)] as const,
    ),
    ...[2_000, 20_000, 200_000].map((n) => [`mixed, ${n.toLocaleString('en-US')} events`, mixed(n)] as const),
  ]
  const rows: string[][] = []
  const perEvent: number[] = []
  const perLoopEvent: number[] = []
  for (const [name, events] of logs) {
    const times = raceCpu(
      { ours: () => reduceSessionEvents(empty, events), mutable: () => mutableReduce(events) },
      5,
    )
    perEvent.push(times.ours / events.length)
    perLoopEvent.push(times.mutable / events.length)
    const limit = REPLAY_LIMITS.get(name)
    if (limit !== undefined) atMost(`${name}, against a mutable loop`, times.ours / times.mutable, limit)
    rows.push([
      name,
      time(times.ours / events.length),
      time(times.mutable / events.length),
      ratio(times.ours / times.mutable),
    ])
  }
  table(['log', 'ours', 'mutable loop', 'ours / loop'], rows)
  const [short = 1, middle = 1, long = 1] = perEvent
  // Fresh memory takes time too. On some machines it makes the loop four times as slow.
  const [shortLoop = 1, , longLoop = 1] = perLoopEvent
  const growth = 'an event of a transcript, 100,000 blocks against 1,000'
  atMost(`${growth}, as part of the mutable loop's growth`, long / short / (longLoop / shortLoop), 1.5)
  goal(growth, long / short, 3)
  atLeast(
    'replay of 10,000 blocks, against the spread-copy reducer event by event',
    spreadReplay() / middle,
    40,
  )
}

/** In ns per event; once, as it takes half a minute. */
function spreadReplay(): number {
  const events = transcript(10_000)
  const start = performance.now()
  let state = empty
  for (const event of events) state = spreadReduce(state, event)
  return (1e6 * (performance.now() - start)) / events.length
}

async function benchNothing(): Promise<void> {
  heading('Events that change nothing, in a conversation of 10,000 blocks')
  const state = stateOf(10_000)
  const blockId = lastBlock(state)
  const unknown = { type: 'unknown' } as unknown as SessionEvent
  const times = await race({
    'empty delta': () => reduceSessionEvent(state, { type: 'block:delta', blockId, delta: '' }),
    'delta of an unknown conversation': () =>
      reduceSessionEvent(state, { type: 'block:delta', conversationId: 'nobody', blockId, delta: 'x' }),
    'delta of an unknown block': () =>
      reduceSessionEvent(state, { type: 'block:delta', blockId: 'nobody', delta: 'x' }),
    'unknown type': () => reduceSessionEvent(state, unknown),
    'known facts': () => reduceSessionEvent(state, { type: 'session:updated', facts: {} }),
  })
  table(
    ['event', 'time'],
    Object.entries(times).map(([name, ns]) => [name, time(ns)]),
  )
}
