import fc from 'fast-check'
import { expect } from 'vitest'
import {
  buildSessionTree,
  createInitialConversationState,
  findConversation,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
  stepSessionEvent,
  toolCalls,
} from '../../../src/entries/index.ts'
import { restore, SnapshotError, snapshot } from '../../../src/entries/sync.ts'
import { json, log } from '../../core/reducer/laws/logs.ts'
import { objectsIn } from '../../objects.ts'

const empty = createInitialConversationState()

/** Returns the value after a write to and a read from disk or network. */
const stored = (value: unknown) => JSON.parse(JSON.stringify(value))

/** Spoils snapshots. Each one must be refused, or give a state that folds further events. */
export function expectUsable(numRuns: number): void {
  fc.assert(
    fc.property(log, fc.array(spoiling, { maxLength: 4 }), log, (events, spoilings, more) => {
      const value = stored(snapshot({ state: reduceSessionEvents(empty, events), epoch: 'e1', seq: 0 }))
      for (const spoil of spoilings) spoil(value)
      use(value, more)
    }),
    { numRuns },
  )
}

/** Puts another value, usually of the right kind, anywhere into plain data. */
const spoiling = fc
  .record({
    part: fc.nat(),
    key: fc.nat(),
    other: fc.option(fc.oneof(fc.constantFrom('A', 'B', 'X', 'main'), json)),
    from: fc.nat(),
  })
  .map(({ part, key, other, from }) => (value: unknown) => {
    const parts = objectsIn(value)
    const target = parts[part % parts.length]
    const keys = Object.keys(target ?? {})
    if (!target || keys.length === 0) return
    Reflect.set(target, keys[key % keys.length] ?? '', stored(other ?? parts[from % parts.length]))
  })

/** Restores the value, if possible, and uses it like a page. */
export function use(value: unknown, events: readonly SessionEvent[]): void {
  let state: SessionConversationState
  try {
    state = restore(value).state
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError)
    return
  }
  for (const each of [state, reduceSessionEvents(state, events)]) {
    buildSessionTree(each)
    for (const id of ['main', 'A', 'X']) toolCalls(findConversation(each, id) ?? each)
  }
  for (const event of events) state = stepSessionEvent(state, event).state
}
