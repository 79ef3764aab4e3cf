import { describe, expect, it } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import {
  createInitialConversationState,
  createSessionStore,
  findBlock,
  findConversation,
  findSubagent,
  foldSessionEvents,
  isConversationEvent,
  parseSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  sessionEventSchema,
} from '../../../src/entries/index.ts'
import { compactEvents, stamp } from '../../../src/entries/sync.ts'
import { events as samples } from './samples.ts'

const start = createInitialConversationState()
const at = (minute: number) => `2026-10-05T09:0${minute}:00.000Z`
const text = (id: string, status: 'pending' | 'complete', content: string) =>
  ({ id, type: 'assistant_text', status, content }) as const

/** The five event types of the origin document, with their place and their time in `context` alone. */
const nested: readonly SessionEvent[] = [
  { type: 'subagent:spawned', toolUseId: 'OUTER', prompt: 'outer', context: { timestamp: at(0) } },
  {
    type: 'subagent:spawned',
    toolUseId: 'INNER',
    prompt: 'inner',
    context: { conversationId: 'OUTER', timestamp: at(1) },
  },
  {
    type: 'block:upsert',
    block: text('t', 'pending', 'a'),
    context: { conversationId: 'INNER', timestamp: at(2) },
  },
  { type: 'block:delta', blockId: 't', delta: 'b', context: { conversationId: 'INNER', timestamp: at(2) } },
  { type: 'block:delta', blockId: 't', delta: 'c', context: { conversationId: 'INNER', timestamp: at(2) } },
  {
    type: 'subagent:completed',
    toolUseId: 'INNER',
    status: 'completed',
    context: { conversationId: 'OUTER', timestamp: at(3) },
  },
  { type: 'block:upsert', block: text('o', 'pending', 'x'), context: { conversationId: 'OUTER' } },
  { type: 'session:idle', context: { conversationId: 'OUTER', timestamp: at(4) } },
  { type: 'todos:updated', todos: [], context: { conversationId: 'main' } },
]
const flat: readonly SessionEvent[] = nested.map(({ context, ...event }) => ({ ...event, ...context }))

describe('an event with its place and time in `context`', () => {
  it('is applied as if both stood beside the other fields', () => {
    const { state, issues } = foldSessionEvents(start, nested)
    expect(issues).toEqual([])
    expect(state).toEqual(reduceSessionEvents(start, flat))
    expect(findSubagent(state, 'INNER')?.parentConversationId).toBe('OUTER')
    expect(findBlock(state, 'INNER', 't')).toMatchObject({ content: 'abc', status: 'complete' })
    expect(findBlock(state, 'OUTER', 'subagent:INNER')?.timestamp).toBe(at(1))
    expect(findConversation(state, 'OUTER')?.blocks.at(-1)).toMatchObject({ id: 'o', status: 'complete' })
  })

  // A host in TypeScript copies optional fields, so a field may be there without a value.
  it('is applied so too if a field beside has no value', () => {
    const unset = { conversationId: undefined, timestamp: undefined }
    const events = nested.map((event) => ({ ...unset, ...event })) as unknown as readonly SessionEvent[]
    expect(reduceSessionEvents(start, events)).toEqual(reduceSessionEvents(start, flat))
  })

  it.each(Object.entries(samples))('is accepted, and comes back flat: %s', (type, { required }) => {
    const event = { type, ...required, context: { conversationId: 'C', timestamp: at(0) } }
    const expected = { type, ...required, conversationId: 'C', timestamp: at(0) }
    expect(isConversationEvent(event)).toBe(true)
    expect(parseSessionEvent(event)).toEqual({ ok: true, event: expected })
    expect(sessionEventSchema['~standard'].validate(event)).toEqual({ value: expected })
  })

  it('takes a field beside the others before the one in `context`', () => {
    const event = {
      type: 'session:idle',
      conversationId: 'A',
      context: { conversationId: 'B', timestamp: at(0) },
    }
    expect(parseSessionEvent(event)).toEqual({
      ok: true,
      event: { type: 'session:idle', conversationId: 'A', timestamp: at(0) },
    })
  })

  it('keeps the unknown fields of its context', () => {
    const event = { type: 'session:idle', context: { conversationId: 'B', traceId: 'x' } }
    expect(parseSessionEvent(event)).toEqual({
      ok: true,
      event: { type: 'session:idle', conversationId: 'B', context: { traceId: 'x' } },
    })
  })

  it.each([
    [{ context: 7 }, ['context']],
    [{ context: { conversationId: 7 } }, ['context', 'conversationId']],
    [{ context: { timestamp: null }, timestamp: at(0) }, ['context', 'timestamp']],
  ])('is refused with a wrong context, with its path: %j', (fields, path) => {
    const event = { type: 'session:idle', ...fields }
    expect(isConversationEvent(event)).toBe(false)
    expect(parseSessionEvent(event)).toMatchObject({ ok: false, issues: [{ code: 'invalid-value', path }] })
    expect(Reflect.apply(foldSessionEvents, undefined, [start, [event]])).toEqual({
      state: start,
      issues: [expect.objectContaining({ code: 'malformed-event', eventType: 'session:idle', path })],
    })
  })
})

describe('nothing keeps the context twice', () => {
  it('in a compacted list, which joins such deltas of one conversation alone', () => {
    const compacted = compactEvents(nested)
    expect(compacted).toEqual(compactEvents(flat))
    expect(compacted.filter(({ type }) => type === 'block:delta')).toEqual([
      { type: 'block:delta', blockId: 't', delta: 'bc', conversationId: 'INNER', timestamp: at(2) },
    ])
    expect(JSON.stringify(compacted)).not.toContain('context')
  })

  it('in a stamped event', () => {
    const { stamped } = stamp({ epoch: 'e', seq: 0 }, nested[1] ?? { type: 'session:idle' })
    expect(stamped.event).toEqual(flat[1])
  })

  it('in a store', () => {
    const store = createSessionStore({ schedule: 'manual' })
    store.dispatchAll(nested)
    expect(store.flush()).toEqual(reduceSessionEvents(start, flat))
    expect(JSON.stringify(store.getState())).not.toContain('context')
  })

  it('in the log of a hub', async () => {
    const hub = createSessionHub()
    await hub.publish('s', nested)
    expect(await hub.state('s')).toEqual(reduceSessionEvents(start, flat))
  })
})
