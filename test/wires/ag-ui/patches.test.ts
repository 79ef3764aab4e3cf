import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agUiSource } from '../../../src/entries/ag-ui.ts'
import { createInitialConversationState, foldSessionEvents } from '../../../src/entries/index.ts'
import { checkSource } from '../../../src/entries/testing.ts'
import { loadSession, saveSession } from '../../../src/reading/save-session.ts'
import type { Session } from '../../../src/reading/source.ts'
import { applyPatch, OwnedDocument, patchDocument } from '../../../src/wires/ag-ui/shared/owned-document.ts'
import { runs } from '../../depth.ts'
import { deepFreeze } from '../../objects.ts'

const RUN = { type: 'RUN_STARTED', threadId: 't', runId: 'r' }

const PATCHES = 300

/** Returns an object with a part for each of many keys. */
function wideObject(): Readonly<Record<string, { readonly count: number }>> {
  return Object.fromEntries(Array.from({ length: PATCHES }, (_, at) => [`k${at}`, { count: at }]))
}

/** Returns a patch for each of many keys. */
function manyPatches<Patch>(patch: (key: string, at: number) => Patch): readonly Patch[] {
  return Array.from({ length: PATCHES }, (_, at) => patch(`k${at}`, at))
}

describe('a document that many patches change', () => {
  it('copies a large object once for patches that do not fit', () => {
    const document = new OwnedDocument(deepFreeze({ wide: wideObject() }))
    const objects = new Set<unknown>()
    for (const [at, key] of Object.keys(wideObject()).entries()) {
      const change = { op: 'replace', path: `/wide/${key}/count`, value: 'x' }
      expect(patchDocument(document, [change, { op: 'remove', path: '/none' }])).toBe(false)
      if (at > 0) objects.add(Reflect.get(Object(document.root), 'wide'))
    }
    expect(objects.size).toBe(1)
    expect(document.root).toEqual({ wide: wideObject() })
  })

  it('keeps the copies of a part apart', () => {
    const document = new OwnedDocument({ a: { list: [1] } })
    const patches = [
      [{ op: 'add', path: '/a/list/-', value: 2 }],
      [{ op: 'copy', from: '/a', path: '/b' }],
      [{ op: 'add', path: '/a/list/-', value: 3 }],
      [
        { op: 'copy', from: '/b', path: '/c' },
        { op: 'add', path: '/c/list/-', value: 4 },
        { op: 'add', path: '/b/list/0', value: 0 },
      ],
    ]
    for (const patch of patches) expect(patchDocument(document, patch)).toBe(true)
    expect(document.root).toEqual({ a: { list: [1, 2, 3] }, b: { list: [0, 1, 2] }, c: { list: [1, 2, 4] } })
  })

  it('is the same as a new document for each patch', () => {
    fc.assert(
      fc.property(documents, fc.array(patches, { maxLength: 8 }), (given, list) => {
        const document = new OwnedDocument(deepFreeze(structuredClone(given)))
        let expected: unknown = deepFreeze(structuredClone(given))
        for (const patch of list) {
          const next = applyPatch(expected, deepFreeze(patch))
          expect(patchDocument(document, patch)).toBe(next !== undefined)
          if (next) expected = deepFreeze(next.document)
          expect(document.root).toEqual(expected)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('holds no deeper value than JSON may', () => {
    const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(applyPatch({}, [{ op: 'add', path: '/a', value: deep(253) }])).toBeDefined()
    expect(applyPatch({}, [{ op: 'add', path: '/a', value: deep(254) }])).toBeUndefined()
    expect(applyPatch({ a: 1 }, [{ op: 'replace', path: '/a', value: deep(254) }])).toBeUndefined()
    expect(applyPatch({ a: deep(253), b: {} }, [{ op: 'move', from: '/a', path: '/b/c' }])).toBeUndefined()
    expect(applyPatch({ a: deep(253), b: {} }, [{ op: 'move', from: '/a', path: '/c' }])).toBeDefined()
    const far = '/0'.repeat(255)
    expect(applyPatch(deep(256), [{ op: 'add', path: far, value: 1 }])).toBeUndefined()
  })
})

describe('many patches of the shared state', () => {
  const state = { wide: wideObject(), todos: [{ text: 'a' }, { text: 'b' }] }
  const events: readonly object[] = [
    RUN,
    { type: 'STATE_SNAPSHOT', snapshot: state },
    ...manyPatches((key, at) => stateDelta({ op: 'replace', path: `/wide/${key}`, value: -at })),
    ...manyPatches((key) => stateDelta({ op: 'add', path: `/wide/new-${key}`, value: { done: true } })),
    ...manyPatches((key) => stateDelta({ op: 'remove', path: `/wide/${key}` })),
    stateDelta({ op: 'add', path: '/todos/0/status', value: 'completed' }, { op: 'remove', path: '/none' }),
    stateDelta({ op: 'add', path: '/todos/1/status', value: 'completed' }),
    stateDelta({ op: 'add', path: '/todos/1/status', value: 'in_progress' }),
  ]

  it('give the state and the plan that they lead to', () => {
    const { session, events: translated, issues } = agUiSource.read(agUiSource.open(), events)
    const wide = Object.fromEntries(manyPatches((key) => [`new-${key}`, { done: true }]))
    const todos = [{ text: 'a' }, { text: 'b', status: 'in_progress' }]
    expect(issuesIfState(session, { wide, todos })).toEqual([])
    expect(issuesIfState(session, { wide, todos: [] })).toHaveLength(1)
    expect(issues).toEqual([{ code: 'unknown-block', count: 1, messageType: 'STATE_DELTA', index: 902 }])
    const plans = translated.flatMap((event) => (event.type === 'todos:updated' ? [event.todos] : []))
    expect(plans.map((plan) => plan.map(({ status }) => status))).toEqual([
      ['pending', 'pending'],
      ['pending', 'completed'],
      ['pending', 'in_progress'],
    ])
    expect(state.wide).toEqual(wideObject())
  })

  it('leave the session of an earlier batch as it was', () => {
    const first = agUiSource.read(agUiSource.open(), events.slice(0, 100))
    const saved = JSON.stringify(saveSession(first.session))
    const second = agUiSource.read(first.session, events.slice(100))
    expect(JSON.stringify(saveSession(first.session))).toBe(saved)
    const all = agUiSource.read(agUiSource.open(), events)
    expect(saveSession(second.session)).toEqual(saveSession(all.session))
  })

  it('are the same in a batch and one by one', () => {
    fc.assert(
      fc.property(documents, fc.array(patches, { maxLength: 6 }), (snapshot, list) => {
        const messages = deepFreeze(
          structuredClone([
            RUN,
            { type: 'STATE_SNAPSHOT', snapshot },
            ...list.map((ops) => stateDelta(...ops)),
          ]),
        )
        let session = agUiSource.open()
        const single = messages.map((message) => {
          const reading = agUiSource.read(session, [message])
          session = deepFreeze(reading.session)
          return reading
        })
        const batch = agUiSource.read(agUiSource.open(), messages)
        expect(batch.events).toEqual(single.flatMap(({ events }) => events))
        expect(batch.issues).toEqual(
          single.flatMap(({ issues }, index) => issues.map((issue) => ({ ...issue, index }))),
        )
        expect(saveSession(batch.session)).toEqual(saveSession(session))
      }),
      { numRuns: runs(300) },
    )
  })

  it('keep the laws of a source', () => {
    checkSource(agUiSource, events.slice(0, 2).concat(events.slice(-20)))
  })

  it('never nest the state so deep that it cannot be saved', () => {
    const deeper = stateDelta(
      { op: 'add', path: '/b', value: {} },
      { op: 'move', from: '/a', path: '/b/a' },
      { op: 'move', from: '/b', path: '/a' },
    )
    const snapshot = { type: 'STATE_SNAPSHOT', snapshot: { a: 1 } }
    const messages = [snapshot, ...Array.from({ length: 300 }, () => deeper)]
    const { session, issues } = agUiSource.read(agUiSource.open(), messages)
    const saved = saveSession(session)
    expect(saveSession(loadSession(agUiSource, saved))).toEqual(saved)
    expect(issues.length).toBeGreaterThan(0)
  })
})

describe('many patches of an activity', () => {
  const start = {
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'p',
    activityType: 'PLAN',
    content: { wide: wideObject(), other: { a: 1 } },
  }
  const events = [
    RUN,
    start,
    ...manyPatches((key, at) => activityDelta({ op: 'replace', path: `/wide/${key}/count`, value: -at })),
  ]

  it('show each version, which keeps its unchanged parts', () => {
    const { events: translated, issues, session } = agUiSource.read(agUiSource.open(), deepFreeze(events))
    expect(issues).toEqual([])
    const versions = translated.flatMap((event) =>
      event.type === 'block:upsert' && event.block.type === 'system' ? [Object(event.block.data)] : [],
    )
    expect(versions.length).toBe(PATCHES + 1)
    for (const { other } of versions) expect(other).toBe(start.content.other)
    expect(versions[2].wide.k0).toBe(versions[1].wide.k0)
    expect(versions.map(({ wide }) => wide.k5.count)).toEqual(versions.map((_, at) => (at > 5 ? -5 : 5)))
    expect(session.state.blocks).toMatchObject([{ type: 'system', data: versions.at(-1) }])
  })

  it('never nest the content deeper than an event may', () => {
    const deeper = activityDelta(
      { op: 'add', path: '/b', value: {} },
      { op: 'move', from: '/wide', path: '/b/a' },
      { op: 'move', from: '/b', path: '/wide' },
    )
    const messages = [RUN, start, ...Array.from({ length: 300 }, () => deeper)]
    const { events: translated, issues } = agUiSource.read(agUiSource.open(), messages)
    expect(foldSessionEvents(createInitialConversationState(), translated).issues).toEqual([])
    expect(new Set(issues.map((issue) => Reflect.get(issue, 'messageType')))).toEqual(
      new Set(['ACTIVITY_DELTA']),
    )
  })
})

/** Returns the issues of a patch that fits this shared state alone. */
function issuesIfState(session: Session, value: object) {
  return agUiSource.read(session, [stateDelta({ op: 'test', path: '', value })]).issues
}

function stateDelta(...delta: readonly object[]): object {
  return { type: 'STATE_DELTA', delta }
}

function activityDelta(...patch: readonly object[]): object {
  return { type: 'ACTIVITY_DELTA', messageId: 'p', activityType: 'PLAN', patch }
}

const KEYS = ['a', 'b', 'todos', '0', '1', '-', '__proto__']

const pointers = fc
  .array(fc.constantFrom(...KEYS), { maxLength: 3 })
  .map((keys) => keys.map((key) => `/${key}`).join(''))

const { tree: values } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ max: 3, min: 0 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'todos', 'text'), tie('tree'), { maxKeys: 3 }),
  ),
}))

const documents = fc.record({ a: values, b: values, todos: fc.array(values, { maxLength: 2 }) })

const operations = fc.record({
  op: fc.constantFrom('add', 'add', 'replace', 'remove', 'move', 'copy', 'test'),
  path: pointers,
  from: pointers,
  value: values,
})

const patches = fc.array(operations, { maxLength: 4 })
