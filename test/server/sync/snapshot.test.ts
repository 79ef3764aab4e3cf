import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  createSessionStore,
  reduceSessionEvents,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import {
  createSyncState,
  missing,
  receive,
  restore,
  type StampedEvent,
  snapshot,
} from '../../../src/entries/sync.ts'
import { fold, spawn, text, toolUse, upsert, usage } from '../../core/reducer/example.ts'
import { log } from '../../core/reducer/laws/logs.ts'
import { runs } from '../../depth.ts'
import { objectsIn } from '../../objects.ts'
import { deliver, displaced, epoch, limit, repeated, stampAll } from './transport.ts'

const empty = createInitialConversationState()

/** Returns the value after a write to and a read from disk or network. */
const stored = (value: unknown) => JSON.parse(JSON.stringify(value))

/** Whether the store flushes now. */
const frames = fc.infiniteStream(fc.boolean())

/** A log, the place of a snapshot, and its later transport: the tail in an order that the limit allows, with some earlier events again. */
const cutLog = fc.tuple(log, limit, epoch).chain(([events, most, name]) =>
  fc.nat({ max: events.length }).chain((seq) =>
    fc.nat({ max: seq }).chain((from) =>
      fc.record({
        events: fc.constant(events),
        most: fc.constant(most),
        place: fc.constant({ epoch: name, seq }),
        tail: displaced(stampAll(events, name).slice(from), most).chain(repeated),
      }),
    ),
  ),
)

describe('a snapshot', () => {
  it('is the state and its place, as plain JSON with a version', () => {
    const state = fold(upsert(text('a')))
    const taken = snapshot({ state, epoch: 'e1', seq: 1 })
    expect(taken).toEqual({ version: 1, epoch: 'e1', seq: 1, state })
    expect(taken.state).toBe(state)
  })

  it('is restored unchanged, at any place of any log', () => {
    fc.assert(
      fc.property(cutLog, ({ events, place }) => {
        const state = reduceSessionEvents(empty, events.slice(0, place.seq))
        expect(restore(stored(snapshot({ state, ...place })))).toStrictEqual({ state, ...place })
      }),
    )
  })

  it('and the tail give the state of the whole log, with overlap, repetitions and disorder', () => {
    fc.assert(
      fc.property(cutLog, ({ events, place, tail, most }) => {
        const state = reduceSessionEvents(empty, events.slice(0, place.seq))
        const restored = restore(stored(snapshot({ state, ...place })))
        const delivered = deliver(createSyncState({ ...restored, limit: most }), tail)
        expect(delivered.events).toEqual(events.slice(place.seq))
        expect(reduceSessionEvents(restored.state, delivered.events)).toEqual(
          reduceSessionEvents(empty, events),
        )
      }),
      { numRuns: runs(300) },
    )
  })

  it('continues like the state itself: the same states, issues and references', () => {
    fc.assert(
      fc.property(cutLog, ({ events, place }) => {
        let state = reduceSessionEvents(empty, events.slice(0, place.seq))
        let again = restore(stored(snapshot({ state, ...place }))).state
        for (const event of events.slice(place.seq)) {
          const [step, repeatedStep] = [stepSessionEvent(state, event), stepSessionEvent(again, event)]
          expect(repeatedStep).toEqual(step)
          expect(repeatedStep.state === again).toBe(step.state === state)
          state = step.state
          again = repeatedStep.state
        }
      }),
    )
  })
})

describe('a snapshot while a store holds a frame', () => {
  it('includes the events that the store has buffered, and with the tail gives the state of the whole log', () => {
    fc.assert(
      fc.property(cutLog, frames, ({ events, place, tail, most }, isFrame) => {
        const store = createSessionStore({ schedule: 'manual' })
        for (const event of events.slice(0, place.seq)) {
          store.dispatch(event)
          if (isFrame.next().value) store.flush()
        }
        const restored = restore(stored(snapshot({ state: store.flush(), ...place })))
        const { events: rest } = deliver(createSyncState({ ...restored, limit: most }), tail)
        expect(reduceSessionEvents(restored.state, rest)).toEqual(reduceSessionEvents(empty, events))
      }),
    )
  })

  it('replaces all events that the store has buffered, and the tail gives the state of the whole log', () => {
    fc.assert(
      fc.property(cutLog, log, frames, ({ events, place, tail, most }, before, isFrame) => {
        const store = createSessionStore({ schedule: 'manual' })
        const take = (taken: readonly SessionEvent[]) => {
          store.dispatchAll(taken)
          if (isFrame.next().value) store.flush()
        }
        for (const event of before) take([event])
        const state = reduceSessionEvents(empty, events.slice(0, place.seq))
        const restored = restore(stored(snapshot({ state, ...place })))
        store.replaceState(restored.state)
        for (const step of deliver(createSyncState({ ...restored, limit: most }), tail).steps)
          take(step.events)
        expect(store.flush()).toEqual(reduceSessionEvents(empty, events))
      }),
    )
  })
})

it('lets a page survive a restart of the server', () => {
  const before = stampAll([upsert(text('a', { content: 'old' })), upsert(text('b'))], 'monday')
  const after = stampAll(
    [upsert(text('a', { content: 'new' })), spawn('T'), upsert(text('c'), 'T')],
    'tuesday',
  )
  const store = createSessionStore({ schedule: 'manual' })
  let sync = createSyncState()
  const take = (stamped: StampedEvent) => {
    const received = receive(sync, stamped)
    sync = received.sync
    store.dispatchAll(received.events)
    return received.issues.map(({ code }) => code)
  }
  expect(before.flatMap(take)).toEqual([])
  expect(after.slice(1, 2).flatMap(take)).toEqual(['different-log'])

  const state = reduceSessionEvents(
    empty,
    after.slice(0, 1).map(({ event }) => event),
  )
  const restored = restore(stored(snapshot({ state, epoch: 'tuesday', seq: 1 })))
  store.replaceState(restored.state)
  sync = createSyncState(restored)
  expect(after.flatMap(take)).toEqual([])
  expect(missing(sync)).toEqual([])
  expect(store.flush()).toEqual(fold(...after.map(({ event }) => event)))
})

describe('a restored state', () => {
  it('freezes the same objects as the reducer', () => {
    fc.assert(
      fc.property(log, (events) => {
        const state = reduceSessionEvents(empty, events)
        const restored = restore(stored(snapshot({ state, epoch: 'e1', seq: 0 }))).state
        expect(objectsIn(restored).map(Object.isFrozen)).toEqual(objectsIn(state).map(Object.isFrozen))
      }),
    )
  })

  it('is a copy: later work neither changes nor freezes the value', () => {
    fc.assert(
      fc.property(log, log, (events, more) => {
        const value = stored(snapshot({ state: reduceSessionEvents(empty, events), epoch: 'e1', seq: 0 }))
        const before = JSON.stringify(value)
        reduceSessionEvents(restore(value).state, more)
        expect(JSON.stringify(value)).toBe(before)
        expect(objectsIn(value).filter(Object.isFrozen)).toEqual([])
      }),
    )
  })

  it('keeps unknown fields of the state and all its parts', () => {
    const state = stored(full)
    const parts = [state, state.session, ...state.blocks, ...state.usage, ...state.subagents]
    for (const part of [...parts, ...state.subagents[0].blocks]) part.later = { of: ['another', 'version'] }
    const restored = restore({ version: 1, epoch: 'e1', seq: 4, state }).state
    expect(restored).toEqual(state)
    expect(reduceSessionEvents(restored, [upsert(text('z'))])).toMatchObject({ later: state.later })
  })

  it('keeps a field with the name of the prototype as data', () => {
    const state = {
      ...stored(full),
      blocks: [JSON.parse(`{"__proto__":{"status":"error"},${block.slice(1)}`)],
    }
    const [restored] = restore({ version: 1, epoch: 'e1', seq: 4, state }).state.blocks
    expect(restored?.status).toBe('pending')
    expect(JSON.stringify(restored)).toContain('"__proto__":{"status":"error"}')
  })
})

const block = JSON.stringify({ ...text('a'), conversationId: 'main' })

const full = fold(upsert(text('a')), spawn('T', { agentId: 'X' }), upsert(toolUse('u'), 'T'), usage('m', 5))
