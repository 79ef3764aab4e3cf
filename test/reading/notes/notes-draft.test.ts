import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NotesDraft } from '../../../src/reading/notes/notes-draft.ts'
import {
  type Buffered,
  PersistentMap,
  withInner,
  withoutInner,
} from '../../../src/reading/notes/persistent-map.ts'
import { runs } from '../../depth.ts'

interface Values {
  readonly names: PersistentMap<string>
  readonly places: PersistentMap<string>
  readonly groups: PersistentMap<PersistentMap<string>>
  readonly waiting: PersistentMap<Buffered<string>>
  readonly count: number
}

/** Lets the tests end a batch, as a source does. */
class Draft extends NotesDraft<Values> {
  finish(): Values {
    return this.close()
  }
}

const initial: Values = Object.freeze({
  names: new PersistentMap<string>(),
  places: new PersistentMap<string>(),
  groups: new PersistentMap<PersistentMap<string>>(),
  waiting: new PersistentMap<Buffered<string>>(),
  count: 0,
})

/** The contents of notes, as plain values. */
interface Contents {
  readonly names: Readonly<Record<string, string>>
  readonly places: Readonly<Record<string, string>>
  /** An entry `a` of the group `g` is `g/a`. */
  readonly groups: Readonly<Record<string, string>>
  readonly count: number
}

function contentsOf({ names, places, groups, count }: Values): Contents {
  const grouped = groups
    .entries()
    .flatMap(([group, map]) => map.entries().map(([key, value]) => [`${group}/${key}`, value]))
  return {
    names: Object.fromEntries(names.entries()),
    places: Object.fromEntries(places.entries()),
    groups: Object.fromEntries(grouped),
    count,
  }
}

/** A change of a draft. An absent value removes the key. `isVersion` hands over a map that the caller has made. */
interface Change {
  readonly map: 'names' | 'places' | 'groups'
  /** The group of the key, if the map has groups. */
  readonly group: string
  readonly key: string
  readonly value: string | undefined
  readonly isVersion: boolean
}

const change: fc.Arbitrary<Change> = fc.record({
  map: fc.constantFrom('names', 'places', 'groups'),
  group: fc.constantFrom('g', 'h'),
  key: fc.constantFrom('a', 'b', 'c'),
  value: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
  isVersion: fc.boolean(),
})

function apply(draft: Draft, { map, group, key, value, isVersion }: Change): void {
  if (map === 'groups') {
    const place = { map: group, key }
    const { groups } = draft.values
    return draft.remember({
      groups:
        value === undefined ? withoutInner(groups, place, draft) : withInner(groups, place, value, draft),
    })
  }
  const before = draft.values[map]
  if (isVersion)
    draft.remember({ [map]: value === undefined ? before.without(key) : before.with(key, value) })
  else if (value === undefined) draft.removeEntry(map, key)
  else draft.setEntry(map, key, value)
}

function applyToContents(contents: Contents, { map, group, key, value }: Change): Contents {
  const name = map === 'groups' ? `${group}/${key}` : key
  const { [name]: _, ...others } = contents[map]
  return { ...contents, [map]: value === undefined ? others : { ...others, [name]: value } }
}

describe('batches', () => {
  it('leave earlier notes as they were, whichever notes they start from', () => {
    const batch = fc.record({ from: fc.nat(), changes: fc.array(change, { maxLength: 8 }) })
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
        const first = { notes: initial, contents: contentsOf(initial) }
        const known = [first]
        for (const { from, changes } of batches) {
          const { notes, contents } = known[from % known.length] ?? first
          const draft = new Draft(notes)
          for (const each of changes) apply(draft, each)
          known.push({ notes: draft.finish(), contents: changes.reduce(applyToContents, contents) })
        }
        for (const { notes, contents } of known) {
          expect(contentsOf(notes)).toEqual(contents)
          expect(notes.names.isEmpty).toBe(Object.keys(contents.names).length === 0)
          expect(notes.places.values()).toEqual(notes.places.entries().map(([, value]) => value))
          expect(notes.groups.values().some((group) => group.isEmpty)).toBe(false)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('return the notes that they started from if nothing has changed', () => {
    const draft = new Draft(initial)
    draft.setEntry('names', 'a', '1')
    const place = { map: 'g', key: 'a' }
    draft.remember({ groups: withInner(initial.groups, place, '1', draft) })
    const known = draft.finish()
    const unchanged = new Draft(known)
    unchanged.setEntry('names', 'a', '1')
    unchanged.removeEntry('places', 'a')
    unchanged.remember({ groups: withInner(known.groups, place, '1', unchanged) })
    for (const other of [
      { map: 'g', key: 'b' },
      { map: 'h', key: 'a' },
    ])
      unchanged.remember({ groups: withoutInner(known.groups, other, unchanged) })
    unchanged.remember({ count: 0, names: known.names })
    expect(unchanged.finish()).toBe(known)
  })

  it('copy the notes at the first change, and then change their copy', () => {
    const draft = new Draft(initial)
    expect(draft.values).toBe(initial)
    draft.remember({ count: 1 })
    const notes = draft.values
    draft.edit().count += 1
    draft.setEntry('names', 'a', '1')
    expect(draft.values).toBe(notes)
    expect(draft.finish()).toBe(notes)
    expect(contentsOf(notes)).toMatchObject({ count: 2, names: { a: '1' } })
    expect(contentsOf(initial)).toMatchObject({ count: 0, names: {} })
  })

  it('refuse to change an entry of a note that is no map', () => {
    const draft = new Draft(initial)
    expect(() => Reflect.apply(draft.setEntry, draft, ['count', 'a', '1'])).toThrow(TypeError)
    expect(draft.finish()).toBe(initial)
  })

  it('change a map in place after the first change', () => {
    const draft = new Draft(initial)
    draft.remember({ names: initial.names.with('a', '1') })
    const { names } = draft.values
    draft.setEntry('names', 'b', '2')
    expect(draft.values.names).toBe(names)
    draft.removeEntry('names', 'a')
    expect(contentsOf(draft.finish()).names).toEqual({ b: '2' })
    expect(contentsOf(initial).names).toEqual({})
  })

  it('do not change the map that they started from, also after they have taken it back', () => {
    const first = new Draft(initial)
    first.setEntry('names', 'a', '1')
    const known = first.finish()
    const draft = new Draft(known)
    draft.setEntry('names', 'b', '2')
    draft.remember({ names: known.names })
    draft.setEntry('names', 'c', '3')
    expect(contentsOf(draft.finish()).names).toEqual({ a: '1', c: '3' })
    expect(contentsOf(known).names).toEqual({ a: '1' })
  })

  it('move an entry to another key, and leave those that are not there', () => {
    const draft = new Draft(initial)
    draft.setEntry('names', 'a', '1')
    draft.setEntry('names', 'b', '2')
    const { names } = draft.values
    draft.moveEntry('names', 'a', 'c')
    draft.moveEntry('names', 'd', 'b')
    expect(draft.finish().names.entries()).toEqual([
      ['b', '2'],
      ['c', '1'],
    ])
    expect(draft.values.names).toBe(names)
  })

  it('keep items by key, and give them back once in their order', () => {
    const draft = new Draft(initial)
    for (const item of ['1', '2', '3']) draft.buffer('waiting', item === '2' ? 'b' : 'a', item)
    const known = draft.finish()
    const next = new Draft(known)
    expect(next.takeBuffered('waiting', 'none')).toEqual([])
    expect(next.finish()).toBe(known)
    const last = new Draft(known)
    expect(last.takeBuffered('waiting', 'a')).toEqual(['1', '3'])
    expect(last.takeBuffered('waiting', 'a')).toEqual([])
    expect(last.finish().waiting.entries()).toEqual([['b', { item: '2', before: undefined }]])
    expect(known.waiting.size).toBe(2)
  })

  it('have a key of their own for each pair of ids', () => {
    const draft = new Draft(initial)
    const pairs = [
      ['', ''],
      ['a', 'bc'],
      ['ab', 'c'],
      ['ab', 'bc'],
      ['a', 'bc'],
      ['b', 'bc'],
    ] as const
    const keys = pairs.map(([first, second]) => draft.keyOf(first, second))
    expect(new Set(keys).size).toBe(5)
    expect(keys[4]).toBe(keys[1])
    expect(new Draft(initial).keyOf('', '')).toBe(keys[0])
  })
})

it('does not keep a map that left the notes while the batch goes on', async () => {
  setFlagsFromString('--expose_gc')
  const draft = new Draft(initial)
  draft.setEntry('names', 'a', '1')
  const left = new WeakRef(draft.values.names)
  draft.remember({ names: new PersistentMap<string>() })
  // A weak reference keeps its object until the end of the task.
  await setImmediate()
  runInNewContext('gc()')
  expect(left.deref()).toBeUndefined()
  expect(contentsOf(draft.finish()).names).toEqual({})
})
