import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  createSessionStore,
  findBlock,
  foldSessionEvents,
  isConversationEvent,
  parseSessionEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import { createSyncState, receive, restore, SnapshotError, snapshot } from '../../../src/entries/sync.ts'
import { delta, fold, spawn, text, upsert } from '../../core/reducer/example.ts'
import { anyEvent } from '../../core/reducer/laws/logs.ts'
import { good, state } from '../example.ts'
import { odd, withoutPollution } from '../values.ts'

/** An event with another value in one of its own or its block's fields. */
const spoiled = fc
  .tuple(anyEvent, fc.nat(), odd)
  .map(([event, place, value]): { readonly event: SessionEvent; readonly field: string } => {
    const inner = 'block' in event ? Object.keys(event.block).map((key) => `block.${key}`) : []
    // Some fields belong to events of other types.
    const fields = [...Object.keys(event), ...inner, 'tea', 'block', 'blockId', 'toolUseId', 'agentId']
    const field = fields[place % fields.length] ?? ''
    const [outer = '', key] = field.split('.')
    const spoil = key === undefined ? value : { ...Reflect.get(event, outer), [key]: value }
    return { event: { ...event, [outer]: spoil }, field }
  })

/** Whether the code is that of a value that is no event. */
const isRefusal = (code: string | undefined) => code === 'unknown-event' || code === 'malformed-event'

describe('an event with any value in a field', () => {
  it('is applied, or refused, and never throws or changes a prototype', () => {
    withoutPollution(() =>
      fc.assert(
        fc.property(spoiled, ({ event }) => {
          const step = stepSessionEvent(state, event)
          expect(isRefusal(step.issue?.code)).toBe(!isConversationEvent(event))
          expect(parseSessionEvent(event).ok).toBe(isConversationEvent(event))
          expect(reduceSessionEvent(state, event)).toEqual(step.state)
          const { path = [], ...facts } = step.issue ?? {}
          expect(Array.isArray(path)).toBe(true)
          for (const fact of Object.values(facts)) expect(typeof fact).toBe('string')
        }),
        { numRuns: 800 },
      ),
    )
  })

  it('does not affect the good events beside it', () => {
    fc.assert(
      fc.property(spoiled, ({ event }) => {
        fc.pre(!isConversationEvent(event))
        const folded = foldSessionEvents(state, [event, good, event])
        expect(folded.state).toEqual(reduceSessionEvent(state, good))
        expect(folded.issues.map(({ code }) => isRefusal(code))).toEqual([true, true])
        const store = createSessionStore({ state, schedule: 'manual' })
        store.dispatchAll([event, good, event])
        expect(store.flush()).toEqual(folded.state)
      }),
      { numRuns: 250 },
    )
  })

  it('leads to a state that survives a snapshot', () => {
    fc.assert(
      fc.property(fc.array(spoiled, { maxLength: 5 }), (events) => {
        const after = reduceSessionEvents(
          createInitialConversationState(),
          events.map(({ event }) => JSON.parse(jsonOf(event))),
        )
        const sent: unknown = JSON.parse(JSON.stringify(snapshot({ state: after, epoch: 'e', seq: 1 })))
        expect(restore(sent).state).toEqual(after)
      }),
      { numRuns: 250 },
    )
  })
})

/** Returns the JSON of a value, or `null` if it has none. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return 'null'
  }
}

describe.each(['__proto__', 'constructor', 'hasOwnProperty', '', '\0', '\ud800', 'x'.repeat(1_000_000)])(
  'an id like %.20s',
  (id) => {
    it('is a valid id of a block, a call, an agent, a message and a conversation', () => {
      const after = fold(
        spawn(id, { agentId: `agent ${id}` }),
        upsert(text(id), id),
        delta(id, 'Hi.', `agent ${id}`),
        {
          type: 'usage:reported',
          conversationId: id,
          messageId: id,
          usage: { outputTokens: 1 },
          final: true,
        },
        { type: 'subagent:completed', toolUseId: id, status: 'completed', output: 'Done.' },
      )
      expect(after.subagents).toMatchObject([
        {
          toolUseId: id,
          status: 'success',
          blocks: [{ id, content: 'Hi.', conversationId: id }],
          usage: [{ messageId: id }],
        },
      ])
      expect(
        restore(JSON.parse(JSON.stringify(snapshot({ state: after, epoch: id, seq: 1 })))).state,
      ).toEqual(after)
    })
  },
)

it('a list with a thousand wrong items has a hundred issues', () => {
  for (const tools of [Array.from({ length: 1000 }, () => 1), new Array(2 ** 32 - 1)]) {
    const parsed = parseSessionEvent({ type: 'session:updated', facts: { tools } })
    expect(parsed.ok ? [] : parsed.issues).toHaveLength(100)
  }
})

describe('a long log', () => {
  it('may have a million deltas, one by one and at once', () => {
    const events = Array.from({ length: 1_000_000 }, () => delta('a', 'x'))
    const content = 'x'.repeat(1_000_000)
    expect(findBlock(reduceSessionEvents(state, events), 'main', 'a')).toMatchObject({ content })
    expect(findBlock(events.reduce(reduceSessionEvent, state), 'main', 'a')).toMatchObject({ content })
  })

  it('may have a delta of 50 MB', () => {
    const content = 'x'.repeat(50_000_000)
    expect(findBlock(reduceSessionEvent(state, delta('a', content)), 'main', 'a')).toMatchObject({ content })
  })
})

it('a stamped event of any kind is delivered, held, dropped or an issue', () => {
  const sync = createSyncState()
  const stamped = fc.record(
    { epoch: fc.oneof(fc.constant('e'), odd), seq: fc.oneof(fc.nat({ max: 5 }), odd), event: odd },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(stamped, odd), { maxLength: 6 }), (all) => {
      let after = sync
      for (const each of all) {
        const { sync: next, events, issues } = receive(after, Object(each))
        expect(next.seq - after.seq).toBe(events.length)
        for (const { code } of issues)
          expect(['different-log', 'malformed-stamp', 'too-early']).toContain(code)
        if (issues.some(({ code }) => code === 'malformed-stamp')) expect(next).toBe(after)
        reduceSessionEvents(state, events)
        after = next
      }
    }),
    { numRuns: 500 },
  )
})

it('any value is restored as a snapshot or refused with a SnapshotError', () => {
  const whole = snapshot({ state, epoch: 'e', seq: 1 })
  const spoiledSnapshot = fc
    .tuple(fc.constantFrom('version', 'epoch', 'seq', 'state', 'tea'), odd)
    .map(([key, value]) => ({ ...whole, [key]: value }))
  const spoiledState = fc
    .tuple(fc.constantFrom(...Object.keys(state)), odd)
    .map(([key, value]) => ({ ...whole, state: { ...state, [key]: value } }))
  fc.assert(
    fc.property(fc.oneof(odd, spoiledSnapshot, spoiledState), (value) => {
      const read = () => {
        try {
          return restore(value).state
        } catch (error) {
          expect(error).toBeInstanceOf(SnapshotError)
          return undefined
        }
      }
      const restored = read()
      expect(() => JSON.stringify(restored)).not.toThrow()
    }),
    { numRuns: 500 },
  )
})
