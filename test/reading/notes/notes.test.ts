import { describe, expect, expectTypeOf, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/values.ts'
import type { BlockOf } from '../../../src/core/state/block.ts'
import type { SessionTurn } from '../../../src/core/state/turn.ts'
import { type NoteFields, type NoteValue, typedShape } from '../../../src/reading/notes/note-shape.ts'
import {
  declareNotes,
  Notes,
  type NotesDeclaration,
  type NotesOf,
  newNotes,
  nonEmptyNotes,
  notesOf,
} from '../../../src/reading/notes/notes.ts'
import { type Buffered, bufferedItems, PersistentMap } from '../../../src/reading/notes/persistent-map.ts'
import type { TurnEnd } from '../../../src/reading/turn.ts'

const FIELDS = {
  waiting: { mapOf: 'JSON object' },
  seen: { setOf: 'string' },
  groups: { mapOf: { mapOf: { fields: { id: 'string', 'count?': 'finite number' } } } },
  lines: { bufferOf: 'JSON object' },
  queue: { listOf: 'string' },
  phase: { oneOf: { asking: true, working: true } },
  isLate: 'boolean',
  lastId: 'string',
  count: 'finite number',
  extra: 'JSON value',
} as const satisfies NoteFields

const parrotNotes = declareNotes({ source: 'parrot', version: 3 }, FIELDS)
type ParrotNotes = NotesOf<typeof FIELDS>

describe('a declaration of notes', () => {
  it('names the source and the version', () => {
    expect(parrotNotes).toMatchObject({ source: 'parrot', version: 3 })
  })

  it('begins with empty maps and sets, and with no other note', () => {
    const { waiting, seen, groups } = parrotNotes.initial
    for (const map of [waiting, seen, groups]) {
      expect(map).toBeInstanceOf(PersistentMap)
      expect(map.isEmpty).toBe(true)
    }
    for (const name of [
      'answer',
      'count',
      'extra',
      'isLate',
      'lastId',
      'lastTurn',
      'lines',
      'phase',
      'queue',
    ]) {
      expect(parrotNotes.initial).toHaveProperty(name)
      expect(Reflect.get(parrotNotes.initial, name)).toBeUndefined()
    }
  })

  it('marks each note as one that may be absent', () => {
    for (const name of Object.keys(parrotNotes.shapes)) expect(name).toMatch(/^\w+\?$/)
  })

  it('gives each declaration maps of its own', () => {
    const other = declareNotes({ source: 'other', version: 1 }, FIELDS)
    expect(other.initial.waiting).not.toBe(parrotNotes.initial.waiting)
  })
})

describe('the type of declared notes', () => {
  it('is that of the initial values', () => {
    expectTypeOf(parrotNotes).toEqualTypeOf<NotesDeclaration<ParrotNotes>>()
    expectTypeOf(parrotNotes.initial).toEqualTypeOf<ParrotNotes>()
  })

  it('has a map for `mapOf` and `setOf`', () => {
    expectTypeOf<ParrotNotes['waiting']>().toEqualTypeOf<PersistentMap<JsonObject>>()
    expectTypeOf<ParrotNotes['seen']>().toEqualTypeOf<PersistentMap<true>>()
    type Group = ParrotNotes['groups'] extends PersistentMap<PersistentMap<infer Item>> ? Item : never
    expectTypeOf<Group['id']>().toEqualTypeOf<string>()
    expectTypeOf<Group['count']>().toEqualTypeOf<number | undefined>()
  })

  it('allows that any other note says nothing', () => {
    expectTypeOf<ParrotNotes['lines']>().toEqualTypeOf<Buffered<JsonObject> | undefined>()
    expectTypeOf<ParrotNotes['queue']>().toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf<ParrotNotes['phase']>().toEqualTypeOf<'asking' | 'working' | undefined>()
    expectTypeOf<ParrotNotes['isLate']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<ParrotNotes['lastId']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<ParrotNotes['count']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ParrotNotes['extra']>().toEqualTypeOf<unknown>()
  })

  it('has the notes of every source', () => {
    expectTypeOf<ParrotNotes['lastTurn']>().toEqualTypeOf<SessionTurn | undefined>()
    expectTypeOf<ParrotNotes['answer']>().toEqualTypeOf<TurnEnd | undefined>()
  })

  it('is the one that a typed shape names', () => {
    const request = typedShape<BlockOf<'request'>>('JSON object')
    expectTypeOf<NoteValue<typeof request>>().toEqualTypeOf<BlockOf<'request'>>()
    const asked = { requests: { mapOf: request } }
    expectTypeOf<NotesOf<typeof asked>['requests']>().toEqualTypeOf<PersistentMap<BlockOf<'request'>>>()
  })

  it('refuses other notes', () => {
    // @ts-expect-error: the map holds objects
    const wrong: ParrotNotes = { ...parrotNotes.initial, waiting: new PersistentMap<string>() }
    // @ts-expect-error: there is no such phase
    const closed: ParrotNotes = { ...parrotNotes.initial, phase: 'singing' }
    // @ts-expect-error: notes are immutable
    parrotNotes.initial.count = undefined
    expect([wrong, closed]).toHaveLength(2)
  })

  it('refuses shapes that do not exist', () => {
    // @ts-expect-error: there is no such shape
    expect(declareNotes({ source: 'parrot', version: 1 }, { song: 'text' })).toHaveProperty('initial')
    // @ts-expect-error: a set has strings
    expect(declareNotes({ source: 'parrot', version: 1 }, { seen: { setOf: 'boolean' } })).toBeDefined()
  })
})

it('notes that say nothing are undefined ones and empty maps', () => {
  expect(nonEmptyNotes(newNotes(parrotNotes))).toEqual({})
  const notes = newNotes(parrotNotes, {
    seen: parrotNotes.initial.seen.with('a', true),
    count: 0,
    isLate: false,
    lastId: '',
    queue: [],
  })
  expect(Object.keys(nonEmptyNotes(notes)).toSorted()).toEqual(['count', 'isLate', 'lastId', 'queue', 'seen'])
})

it('values of notes are read with their own declaration alone', () => {
  const notes = new Notes(parrotNotes, parrotNotes.initial)
  expect(notesOf(parrotNotes, notes)).toBe(parrotNotes.initial)
  const same = declareNotes({ source: 'parrot', version: 3 }, FIELDS)
  for (const wrong of [undefined, null, {}, { ...notes }, parrotNotes.initial, JSON.parse('{"values":{}}')])
    expect(() => notesOf(parrotNotes, wrong)).toThrow(TypeError)
  expect(() => notesOf(same, notes)).toThrow(TypeError)
})

it('a buffer of lines keeps their order', () => {
  const lines: ParrotNotes['lines'] = { item: { at: 2 }, before: { item: { at: 1 }, before: undefined } }
  expect(bufferedItems(lines)).toEqual([{ at: 1 }, { at: 2 }])
})
