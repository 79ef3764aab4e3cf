import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PersistentMap } from '../../../src/reading/notes/persistent-map.ts'
import { runs } from '../../depth.ts'
import { countVisits } from '../../visits.ts'

/** A version with the plain map that it must always equal. */
interface Version {
  readonly map: PersistentMap<string>
  readonly model: ReadonlyMap<string, string>
}

interface Change {
  /** The version that the change starts from. Undefined is the newest one. */
  readonly from: number | undefined
  readonly key: string
  /** Undefined removes the key. */
  readonly value: string | undefined
}

const keys = ['a', 'b', 'c', '__proto__', 'constructor', '']
const change: fc.Arbitrary<Change> = fc.record({
  from: fc.option(fc.nat(), { freq: 1, nil: undefined }),
  key: fc.constantFrom(...keys),
  value: fc.option(fc.constantFrom('1', '2', '3'), { freq: 2, nil: undefined }),
})

function versionsOf(changes: readonly Change[]): readonly Version[] {
  const first: Version = { map: new PersistentMap<string>(), model: new Map() }
  const versions = [first]
  for (const { from, key, value } of changes) {
    const { map, model } = versions.at(from === undefined ? -1 : from % versions.length) ?? first
    const changed = new Map(model)
    if (value === undefined) changed.delete(key)
    else changed.set(key, value)
    versions.push({
      map: value === undefined ? map.without(key) : map.with(key, value),
      model: changed,
    })
  }
  return versions
}

function expectEqual({ map, model }: Version): void {
  for (const key of keys) expect(map.get(key)).toBe(model.get(key))
  expect(map.entries()).toEqual([...model])
}

describe('every version', () => {
  it('equals its copy, for any order of reads', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.array(fc.nat()), (changes, order) => {
        const versions = versionsOf(changes)
        for (const at of order) {
          const version = versions[at % versions.length]
          if (version) expectEqual(version)
        }
        for (const version of versions) expectEqual(version)
        for (const version of [...versions].reverse()) expectEqual(version)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('can be read key by key, in turns with the others', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...keys))),
        (changes, reads) => {
          const versions = versionsOf(changes)
          for (const [at, key] of reads) {
            const version = versions[at % versions.length]
            expect(version?.map.get(key)).toBe(version?.model.get(key))
          }
        },
      ),
      { numRuns: runs(300) },
    )
  })

  it('is the same reference if nothing changes', () => {
    const map = new PersistentMap<string>().with('a', '1')
    expect(map.with('a', '1')).toBe(map)
    expect(map.without('b')).toBe(map)
  })

  it('can be read and changed after ten thousand newer versions, without recursion', () => {
    const first = new PersistentMap<string>().with('a', '1')
    let last = first
    for (let at = 0; at < 10_000; at += 1) last = last.with(`key ${at}`, 'x').with('a', String(at))
    expect(first.values()).toEqual(['1'])
    expect(last.get('a')).toBe('9999')
    expect(last.values()).toHaveLength(10_001)
  })
})

it('costs one write per change if only the newest version is used', () => {
  const set = vi.spyOn(Map.prototype, 'set')
  let map = new PersistentMap<string>()
  for (let at = 0; at < 1000; at += 1) map = map.with(`key ${at}`, 'x')
  const writes = set.mock.calls.length
  set.mockRestore()
  expect(map.values()).toHaveLength(1000)
  expect(writes).toBeLessThanOrEqual(1000)
})

it('visits no other entries to remove one', () => {
  let map = new PersistentMap<string>()
  for (let at = 0; at < 1000; at += 1) map = map.with(`key ${at}`, 'x')
  const visits = countVisits(() => {
    for (let at = 999; at > 0; at -= 1) map = map.without(`key ${at}`)
  })
  expect(map.values()).toEqual(['x'])
  // The places of all are counted once, which takes some visits each. A place by counting took half a million.
  expect(visits).toBeLessThanOrEqual(10_000)
})

describe('a version that a batch has opened', () => {
  it('changes in place, and leaves older and newer versions as they are', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.nat(30), (changes, closesAt) => {
        const first = new PersistentMap<string>().with('a', '1')
        const firstOpen = first.with('b', '2')
        const model = new Map([
          ['a', '1'],
          ['b', '2'],
        ])
        const owner = { isOpen: true }
        firstOpen.open(owner)
        let map = firstOpen
        let closed: Version | undefined
        for (const [at, { key, value }] of changes.entries()) {
          if (at === closesAt) {
            owner.isOpen = false
            map.dropChanges()
            closed = { map, model: new Map(model) }
          }
          map = value === undefined ? map.without(key) : map.with(key, value)
          if (value === undefined) model.delete(key)
          else model.set(key, value)
          if (!closed) expect(map).toBe(firstOpen)
        }
        expectEqual({ map, model })
        if (closed) expectEqual(closed)
        expectEqual({ map: first, model: new Map([['a', '1']]) })
      }),
      { numRuns: runs(300) },
    )
  })
})
