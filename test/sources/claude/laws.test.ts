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
import { claudeEntries } from '../../../src/sources/claude/entries.ts'
import { claudeSource } from '../../../src/sources/claude/source.ts'
import { PersistentMap } from '../../../src/sources/persistent-map.ts'
import { type Recording, recording, recordings, replay, threadsOf } from '../recordings.ts'

type Memory = typeof claudeSource.initial
type Step = ReturnType<typeof claudeSource.translate>

/** The messages of a recording's stream, and of its files in the order in which they are read. */
const inputs = recordings.flatMap((recording: Recording) => [
  { name: `${recording.name}, stream`, raw: recording.stream },
  { name: `${recording.name}, disk`, raw: recording.disk },
])
const messagesOf = (raw: (typeof inputs)[number]['raw']): readonly unknown[] =>
  [...claudeEntries(raw)].flatMap((entry) => ('message' in entry ? [entry.message] : []))

function translateAll(messages: readonly unknown[], start: Memory = claudeSource.initial): readonly Step[] {
  const steps: Step[] = []
  let memory = start
  for (const message of messages) {
    const step = claudeSource.translate(memory, message)
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

/** Smaller ones, for what is tried at every message. */
const samples = [
  '03-tools',
  '06-nested-forward',
  '07d-send-message',
  '08e-main-drop',
  '11d-control-interrupt',
]
  .map(recording)
  .flatMap(({ name, stream, disk }) => [
    { name: `${name}, stream`, messages: messagesOf(stream) },
    { name: `${name}, disk`, messages: messagesOf(disk) },
  ])

describe('the source is a pure fold', () => {
  it.each(samples)('that changes neither memory nor message: $name', ({ messages }) => {
    const seen = new WeakSet()
    let memory = deepFreeze(claudeSource.initial, seen)
    for (const message of messages) {
      const copy = JSON.stringify(message)
      const step = claudeSource.translate(memory, deepFreeze(message, seen))
      expect(JSON.stringify(message)).toBe(copy)
      memory = deepFreeze(step.memory, seen)
    }
    expect(() => claudeSource.end(memory)).not.toThrow()
  })

  it.each(samples)('that gives the same from an older memory again: $name', ({ messages }) => {
    const steps = translateAll(messages)
    const said = ({ events, issues }: Step) => ({ events, issues })
    for (const at of [...steps.keys()].reverse()) {
      const memory = steps[at - 1]?.memory ?? claudeSource.initial
      const again = claudeSource.translate(memory, messages[at])
      expect(said(again)).toEqual(steps[at] && said(steps[at]))
    }
  })

  it.each(samples)('whose branches leave each other alone: $name', ({ messages }) => {
    const places = fc.tuple(fc.nat({ max: messages.length }), fc.nat({ max: messages.length }))
    fc.assert(
      fc.property(places, ([trunkEnd, skipped]) => {
        const memory = translateAll(messages.slice(0, trunkEnd)).at(-1)?.memory ?? claudeSource.initial
        const left = messages.slice(trunkEnd)
        const right = messages.slice(Math.max(trunkEnd, skipped))
        const alone = {
          left: eventsOf(translateAll(left, memory)),
          right: eventsOf(translateAll(right, memory)),
        }
        const inTurns = translateInTurns([left, right], memory)
        expect(inTurns).toEqual([alone.left, alone.right])
      }),
      { numRuns: 15 },
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
      const step = claudeSource.translate(memories[which] ?? start, branch[at])
      memories[which] = step.memory
      events[which]?.push(...step.events)
    }
  return events
}

describe('message by message', () => {
  it.each(inputs)('gives the events, the issues and the ending of the whole: $name', ({ raw }) => {
    const steps = translateAll(messagesOf(raw))
    const end = claudeSource.end(steps.at(-1)?.memory ?? claudeSource.initial)
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
      expect(folded.issues.map(({ code }) => code)).not.toContain('unknown-event')
      expectKept(state, folded.state, step.events)
      state = folded.state
    }
    expect(state).toEqual(replay(raw).state)
  })

  it.each(samples)('has an ending: $name', ({ messages }) => {
    for (const { memory } of translateAll(messages))
      expect(['finished', 'interrupted', 'open']).toContain(claudeSource.end(memory).ending)
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
    const later = threadsOf(after)[threadsOf(before).indexOf(thread)]
    if (later === thread || later?.blocks === thread.blocks) continue
    const id = thread.blocks[0]?.conversationId ?? 'main'
    const found = new Map(findConversation(after, id)?.blocks.map((block) => [block.id, block]))
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

/** A block without what later messages may add to a final one: a time, and what is known of an agent's run. */
function essence(block: ConversationBlock): object {
  if (block.type === 'subagent') return { id: block.id, status: block.status, input: block.input }
  const { timestamp, ...rest } = block
  return rest
}
