import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  createInitialConversationState,
  findConversation,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/index.ts'
import { foldSessionEvents } from '../../../src/reducer/reduce.ts'
import { opencodeEntries } from '../../../src/sources/opencode/entries.ts'
import { opencodeSource } from '../../../src/sources/opencode/source.ts'
import { PersistentMap } from '../../../src/sources/persistent-map.ts'
import { threadsOf } from '../recordings.ts'
import { type Recording, recording, recordings, replay } from './recordings.ts'

type Memory = typeof opencodeSource.initial
type Step = ReturnType<typeof opencodeSource.translate>

const inputs = recordings.flatMap(({ name, events, disk, run }: Recording) => [
  { name: `${name}, events`, raw: events },
  { name: `${name}, exports`, raw: disk },
  { name: `${name}, run`, raw: run },
])
const messagesOf = (raw: (typeof inputs)[number]['raw']): readonly unknown[] =>
  [...opencodeEntries(raw)].flatMap((entry) => ('message' in entry ? [entry.message] : []))

function translateAll(messages: readonly unknown[], start: Memory = opencodeSource.initial): readonly Step[] {
  const steps: Step[] = []
  let memory = start
  for (const message of messages) {
    const step = opencodeSource.translate(memory, message)
    steps.push(step)
    memory = step.memory
  }
  return steps
}

const eventsOf = (steps: readonly Step[]): readonly SessionEvent[] => steps.flatMap(({ events }) => events)

/** Freezes all that a value holds, save how a persistent map holds its entries: that may change. */
function deepFreeze<Value>(value: Value, seen: WeakSet<object>): Value {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(Object.freeze(value))
  const parts = value instanceof PersistentMap ? value.values() : Object.values(value)
  for (const part of parts) deepFreeze(part, seen)
  return value
}

const samples = ['03-tools', '06-nested', '07-background', '09-multi-turn', '11a-abort']
  .map(recording)
  .flatMap(({ name, events, disk }) => [
    { name: `${name}, events`, messages: messagesOf(events) },
    { name: `${name}, exports`, messages: messagesOf(disk) },
  ])

describe('the source is a pure fold', () => {
  it.each(samples)('that changes neither memory nor message: $name', ({ messages }) => {
    const seen = new WeakSet()
    let memory = deepFreeze(opencodeSource.initial, seen)
    for (const message of messages) {
      const copy = JSON.stringify(message)
      const step = opencodeSource.translate(memory, deepFreeze(message, seen))
      expect(JSON.stringify(message)).toBe(copy)
      memory = deepFreeze(step.memory, seen)
    }
    expect(() => opencodeSource.end(memory)).not.toThrow()
  })

  it.each(samples)('that gives the same from an older memory again: $name', ({ messages }) => {
    const steps = translateAll(messages)
    const said = ({ events, issues }: Step) => ({ events, issues })
    for (const at of [...steps.keys()].reverse()) {
      const memory = steps[at - 1]?.memory ?? opencodeSource.initial
      expect(said(opencodeSource.translate(memory, messages[at]))).toEqual(steps[at] && said(steps[at]))
    }
  })

  it.each(samples)('whose branches leave each other alone: $name', ({ messages }) => {
    const places = fc.tuple(fc.nat({ max: messages.length }), fc.nat({ max: messages.length }))
    fc.assert(
      fc.property(places, ([trunkEnd, skipped]) => {
        const memory = translateAll(messages.slice(0, trunkEnd)).at(-1)?.memory ?? opencodeSource.initial
        const branches = [messages.slice(trunkEnd), messages.slice(Math.max(trunkEnd, skipped))]
        const alone = branches.map((branch) => eventsOf(translateAll(branch, memory)))
        expect(translateInTurns(branches, memory)).toEqual(alone)
      }),
      { numRuns: 6 },
    )
  })
})

function translateInTurns(
  branches: readonly (readonly unknown[])[],
  start: Memory,
): readonly SessionEvent[][] {
  const memories = branches.map(() => start)
  const events: SessionEvent[][] = branches.map(() => [])
  const longest = Math.max(...branches.map(({ length }) => length))
  for (let at = 0; at < longest; at += 1)
    for (const [which, branch] of branches.entries()) {
      if (at >= branch.length) continue
      const step = opencodeSource.translate(memories[which] ?? start, branch[at])
      memories[which] = step.memory
      events[which]?.push(...step.events)
    }
  return events
}

describe('message by message', () => {
  it.each(inputs)('gives the events, the issues and the ending of the whole: $name', ({ raw }) => {
    const steps = translateAll(messagesOf(raw))
    const end = opencodeSource.end(steps.at(-1)?.memory ?? opencodeSource.initial)
    const whole = replay(raw)
    expect([...eventsOf(steps), ...end.events]).toEqual(whole.events)
    expect([...steps.flatMap(({ issues }) => issues), ...end.issues]).toHaveLength(whole.issues.length)
    expect(end.ending).toBe(whole.ending)
  })
})

describe('every prefix', () => {
  it.each(inputs)('is read without a complaint, and loses nothing that was final: $name', ({ raw }) => {
    let state = createInitialConversationState()
    for (const step of translateAll(messagesOf(raw))) {
      const folded = foldSessionEvents(state, step.events)
      expect(folded.issues).toEqual([])
      expect(step.issues).toEqual([])
      expectKept(state, folded.state, step.events)
      state = folded.state
    }
    expect(state).toEqual(replay(raw).state)
  })

  it.each(samples)('has an ending, which may be asked for at any time: $name', ({ messages }) => {
    for (const { memory } of translateAll(messages)) {
      const { ending, events } = opencodeSource.end(memory)
      expect(['finished', 'interrupted', 'open']).toContain(ending)
      expect(opencodeSource.end(memory).events).toEqual(events)
    }
  })
})

/** What is final stays: only a retraction takes it back, and only a resume wakes an agent. */
function expectKept(
  before: SessionConversationState,
  after: SessionConversationState,
  events: readonly SessionEvent[],
): void {
  const retracted = new Set(
    events.flatMap((event) => (event.type === 'block:removed' ? [event.blockId] : [])),
  )
  const resumed = new Set(
    events.flatMap((event) => (event.type === 'subagent:resumed' ? [event.toolUseId] : [])),
  )
  for (const thread of threadsOf(before)) {
    const id = thread.blocks[0]?.conversationId ?? 'main'
    // A subagent that was met before its call gets the call's id.
    const later = findConversation(after, id)
    if (later?.blocks === thread.blocks) continue
    const found = new Map(later?.blocks.map((block) => [block.id, block]))
    for (const block of thread.blocks) {
      const kept = found.get(block.id)
      if (kept === block || retracted.has(block.id) || !isFinal(block)) continue
      if (block.type === 'subagent' && resumed.has(block.toolUseId)) continue
      if (!kept || !isDeepStrictEqual(essence(kept), essence(block))) expect(kept).toEqual(block)
    }
  }
  for (const { toolUseId, status } of before.subagents)
    if ((status === 'success' || status === 'error') && !resumed.has(toolUseId))
      expect(findConversation(after, toolUseId)).toMatchObject({ status })
}

const isFinal = ({ status }: ConversationBlock) => status !== 'pending' && status !== 'running'

/**
 * A block without what later messages may add to a final one: a time, the rest of a text after an early idle, what the
 * person attached besides, and what is known of an agent's run.
 */
function essence(block: ConversationBlock): object {
  if (block.type === 'subagent') return { id: block.id, status: block.status, input: block.input }
  const { timestamp, ...rest } = block
  return rest
}
