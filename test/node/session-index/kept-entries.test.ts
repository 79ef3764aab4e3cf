import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DamagedIndexError, type Entry, entryOf } from '../../../src/node/session-index/entry.ts'
import { KeptEntries } from '../../../src/node/session-index/kept-entries.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-entries-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const FOLDERS = 20
const COUNT = 2_000
const LISTING = { stamps: [], keys: 'all' }

/** The sessions of a folder look at the same hundred files, and follow each other in no block. */
function entryAt(at: number): Entry {
  const place = `/project-${at % FOLDERS}`
  const key = `${place}/${at}.jsonl`
  const shared = Array.from({ length: 100 }, (_, other) => [`${place}/${other}`, 'gone']).flat()
  const details = {} as Parameters<typeof entryOf>[1]['details']
  const values = { stamps: [key, `${at} 1 1 1`, ...shared], row: null, parts: [], tools: [], details }
  const head = { key, changedAt: at, guard: { size: at, checksum: '' }, isRecent: false }
  return entryOf(
    head,
    { ...values, progress: null },
    {
      signature: new Uint8Array([at % 256]),
      texts: new Uint8Array([1, at % 256]),
    },
  )
}

it('writes a complete index anew in the order of its keys, with the same entries', () => {
  const path = join(folder, 'index')
  const kept = new KeptEntries(path)
  kept.load()
  const entries = Array.from({ length: COUNT }, (_, at) => entryAt(at))
  for (let at = 0; at < COUNT; at += 100) kept.save({ entries: entries.slice(at, at + 100), removed: [] })
  const unordered = statSync(path).size

  kept.save({ entries: [], removed: [], listing: LISTING })

  expect(statSync(path).size).toBeLessThan((unordered * 2) / 3)
  const keys = entries.map(({ head }) => head.key)
  for (const each of [kept, new KeptEntries(path)]) {
    each.load()
    expect(each.listing).toEqual(LISTING)
    expect([...each.entries.keys()]).toEqual([...keys].sort())
    expect(each.values('stamps', keys)).toEqual(
      new Map(entries.map(({ head, values }) => [head.key, JSON.parse(values.stamps)])),
    )
    expect([...each.bytes('signature', keys)]).toEqual(
      entries.map(({ head, signature }) => [head.key, Buffer.from(signature)]),
    )
    for (const { head, texts } of entries.slice(0, 300))
      expect(each.packedTexts(head.key)).toEqual(Buffer.from(texts))
    each.close()
  }
})

// A search alone noticed it, and until then each update tried in vain to write the index anew.
it('says that it is damaged when it has to be written anew, and is whole after that', () => {
  const path = join(folder, 'index')
  const kept = new KeptEntries(path)
  kept.load()
  const entries = Array.from({ length: COUNT }, (_, at) => entryAt(at))
  for (let at = 0; at < COUNT; at += 100) kept.save({ entries: entries.slice(at, at + 100), removed: [] })
  const bytes = readFileSync(path)
  // The end of a block has texts.
  bytes[bytes.length - 1] = 255
  writeFileSync(path, bytes)

  expect(() => kept.save({ entries: [], removed: [], listing: LISTING })).toThrow(DamagedIndexError)

  kept.discard()
  kept.load()
  kept.save({ entries, removed: [], listing: LISTING })
  const anew = new KeptEntries(path)
  anew.load()
  expect(anew.entries.size).toBe(COUNT)
  for (const each of [kept, anew]) each.close()
})

it('appends a change to an ordered index', () => {
  const path = join(folder, 'index')
  const kept = new KeptEntries(path)
  kept.load()
  kept.save({ entries: Array.from({ length: COUNT }, (_, at) => entryAt(at)), removed: [] })
  kept.save({ entries: [], removed: [], listing: LISTING })
  const { ino } = statSync(path)

  kept.save({ entries: [entryAt(7)], removed: [], listing: LISTING })

  expect(statSync(path).ino).toBe(ino)
  kept.close()
})
