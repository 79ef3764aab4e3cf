import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withInner, withoutInner } from '../../src/session/notes/inner-map.ts'
import type { TranslationMemory } from '../../src/session/notes/memory-draft.ts'
import { MemoryDraft } from '../../src/session/notes/memory-draft.ts'
import { PersistentMap } from '../../src/session/notes/persistent-map.ts'

interface Memory extends TranslationMemory {
  readonly names: PersistentMap<string>
  readonly places: PersistentMap<string>
  readonly groups: PersistentMap<PersistentMap<string>>
  readonly count: number
}

/** Lets the tests end a batch, as a source does. */
class Draft extends MemoryDraft<Memory> {
  constructor(memory: Memory) {
    super(memory, { turnStartedAt: undefined, lastTurn: undefined, answer: undefined, ...memory })
  }

  finish(): Memory {
    return this.close()
  }

  setTurn(turn: Memory['turn']): void {
    this.rememberCommon({ turn })
  }
}

const initial: Memory = Object.freeze({
  facts: {},
  turn: 'idle',
  names: new PersistentMap<string>(),
  places: new PersistentMap<string>(),
  groups: new PersistentMap<PersistentMap<string>>(),
  count: 0,
})

/** The contents of a memory, as plain values. */
interface Contents {
  readonly names: Readonly<Record<string, string>>
  readonly places: Readonly<Record<string, string>>
  /** An entry `a` of the group `g` is `g/a`. */
  readonly groups: Readonly<Record<string, string>>
  readonly count: number
}

function contentsOf({ names, places, groups, count }: Memory): Contents {
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
    const { groups } = draft.memory
    return draft.remember({
      groups:
        value === undefined ? withoutInner(groups, place, draft) : withInner(groups, place, value, draft),
    })
  }
  const before = draft.memory[map]
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
  it('leave each earlier memory as it was, whichever memory they start from', () => {
    const batch = fc.record({ from: fc.nat(), changes: fc.array(change, { maxLength: 8 }) })
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
        const first = { memory: initial, contents: contentsOf(initial) }
        const known = [first]
        for (const { from, changes } of batches) {
          const { memory, contents } = known[from % known.length] ?? first
          const draft = new Draft(memory)
          for (const each of changes) apply(draft, each)
          known.push({ memory: draft.finish(), contents: changes.reduce(applyToContents, contents) })
        }
        for (const { memory, contents } of known) {
          expect(contentsOf(memory)).toEqual(contents)
          expect(memory.names.isEmpty).toBe(Object.keys(contents.names).length === 0)
          expect(memory.places.values()).toEqual(memory.places.entries().map(([, value]) => value))
          expect(memory.groups.values().some((group) => group.isEmpty)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('return the memory that they started from if nothing has changed', () => {
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

  it('return another memory if a field of all memories has changed', () => {
    const draft = new Draft(initial)
    draft.setTurn('running')
    expect(draft.finish()).toEqual({ ...initial, turn: 'running' })
    expect(initial.turn).toBe('idle')
  })

  it('change a map in place after the first change', () => {
    const draft = new Draft(initial)
    draft.remember({ names: initial.names.with('a', '1') })
    const { names } = draft.memory
    draft.setEntry('names', 'b', '2')
    expect(draft.memory.names).toBe(names)
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

it('does not keep a map that left the memory while the batch goes on', async () => {
  setFlagsFromString('--expose_gc')
  const draft = new Draft(initial)
  draft.setEntry('names', 'a', '1')
  const left = new WeakRef(draft.memory.names)
  draft.remember({ names: new PersistentMap<string>() })
  // A weak reference keeps its object until the end of the task.
  await setImmediate()
  runInNewContext('gc()')
  expect(left.deref()).toBeUndefined()
  expect(contentsOf(draft.finish()).names).toEqual({})
})
