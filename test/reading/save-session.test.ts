import { describe, expect, it } from 'vitest'
import { checksumOf } from '../../src/core/json/checksum.ts'
import { isObject, type JsonObject, type JsonValue } from '../../src/core/json/values.ts'
import { claudeSource } from '../../src/entries/claude.ts'
import { SnapshotError } from '../../src/entries/index.ts'
import { opencodeSource } from '../../src/entries/opencode.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { TranslationContext } from '../../src/reading/context.ts'
import { defineSource } from '../../src/reading/define-source.ts'
import { declareNotes, type NotesOf, newNotes, notesOf } from '../../src/reading/notes/notes.ts'
import { type Buffered, bufferedItems, PersistentMap } from '../../src/reading/notes/persistent-map.ts'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'
import { fold, idle, spawn, text, upsert } from '../core/reducer/example.ts'
import { revoked, shared, touchy } from '../hostile/values.ts'
import { outputOf, reloaded, stored } from '../wires/saved.ts'

const ENTRY = { fields: { id: 'string', 'seen?': { setOf: 'string' } } } as const

const FIELDS = {
  phase: { oneOf: { none: true, running: true } },
  count: 'finite number',
  name: 'string',
  texts: { listOf: 'string' },
  entries: { mapOf: ENTRY },
  seen: { setOf: 'string' },
  buffered: { bufferOf: 'JSON object' },
} as const

const NOTES = declareNotes({ source: 'parrot', version: 3 }, FIELDS)
type ParrotNotes = NotesOf<typeof FIELDS>
type Entry = ParrotNotes['entries'] extends PersistentMap<infer Item> ? Item : never

const parrot = sourceOf(NOTES)
const entries = new PersistentMap<Entry>()
const ids = new PersistentMap<true>()
const state = fold(upsert(text('a')), spawn('T'), upsert(text('b'), 'T'), idle())

function sourceOf(notes: typeof NOTES): Source {
  const nothing = () => {}
  return defineSource({
    notes,
    begin: (session) => new TranslationContext(session),
    open: nothing,
    translate: nothing,
    end: () => ({ ending: 'open', issues: [] }),
  })
}

const sessionWith = (values: Partial<ParrotNotes>): Session => ({
  state,
  notes: newNotes(NOTES, values),
})

/** Returns the notes after a save and a load. */
const reloadedNotes = (values: Partial<ParrotNotes>) =>
  notesOf(NOTES, reloaded(parrot, sessionWith(values)).notes)

/** Returns a saved session with other content and the checksum of that content. */
function changed(session: Session, change: (content: ReturnType<typeof JSON.parse>) => void): unknown {
  const saved: JsonValue = JSON.parse(JSON.stringify(saveSession(session)))
  if (!isObject(saved)) throw new TypeError('a saved session is an object')
  change(saved)
  const content: JsonValue = JSON.parse(JSON.stringify({ state: saved.state, notes: saved.notes }))
  return { ...saved, checksum: checksumOf(content) }
}

function refusal(saved: unknown, source: Source = parrot): SnapshotError {
  try {
    loadSession(source, saved)
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
  throw new Error('it was loaded')
}

describe('a saved session', () => {
  it('is plain JSON with its source and versions, and without notes that say nothing', () => {
    const saved = saveSession(sessionWith({ name: undefined, texts: ['a'], entries, seen: ids }))
    expect(saved).toStrictEqual({
      version: 1,
      source: 'parrot',
      notesVersion: 3,
      checksum: expect.stringMatching(/^[0-9a-f]{16}$/),
      state: stored(state),
      notes: { texts: ['a'] },
    })
    expect(stored(saved)).toStrictEqual(saved)
  })

  it('gives the state back, frozen as the reducer makes it', () => {
    const { state: loaded } = reloaded(parrot, sessionWith({}))
    expect(loaded).toEqual(state)
    for (const part of [loaded, loaded.turn, loaded.session, ...loaded.blocks, ...loaded.subagents])
      expect(Object.isFrozen(part)).toBe(true)
  })

  it('gives the notes back', () => {
    const values: Partial<ParrotNotes> = {
      phase: 'running',
      count: -0.5,
      name: '',
      texts: [],
      lastTurn: { status: 'finished', startedAt: '2026-01-01T00:00:00.000Z' },
      answer: { outcome: 'failed', error: 'No.' },
    }
    expect(reloadedNotes(values)).toMatchObject(values)
  })

  it('has the initial value of a note that says nothing', () => {
    const { phase, texts, entries: map, seen } = reloadedNotes({ count: 1 })
    expect([phase, texts]).toEqual([undefined, undefined])
    expect([map.isEmpty, seen.isEmpty]).toEqual([true, true])
  })

  it.each(['__proto__', 'constructor', '', '7'])(
    'keeps the key %j of maps and sets, in their order',
    (key) => {
      const map = entries.with('z', { id: 'z' }).with(key, { id: key }).with('1', { id: '1' })
      const set = ids.with('z', true).with(key, true).with('1', true)
      const loaded = reloadedNotes({ entries: map, seen: set })
      expect(loaded.entries.entries()).toEqual(map.entries())
      expect(loaded.entries.get(key)).toEqual({ id: key })
      expect(loaded.seen.entries()).toEqual(set.entries())
    },
  )

  it('has a set as the list of its ids', () => {
    expect(saveSession(sessionWith({ seen: ids.with('b', true).with('a', true) }))).toMatchObject({
      notes: { seen: ['b', 'a'] },
    })
  })

  it('keeps a set inside the value of a map, also an empty one', () => {
    const map = entries.with('k', { id: 'a', seen: ids.with('e', true) }).with('l', { id: 'b', seen: ids })
    const { entries: loaded } = reloadedNotes({ entries: map })
    expect(loaded.get('k')?.seen?.entries()).toEqual([['e', true]])
    expect(loaded.get('l')?.seen?.isEmpty).toBe(true)
  })

  it('keeps ten thousand buffered messages in order', () => {
    let buffered: Buffered<JsonObject> | undefined
    for (let at = 0; at < 10_000; at += 1) buffered = { item: { at }, before: buffered }
    const loaded = reloadedNotes({ buffered })
    expect(bufferedItems(loaded.buffered)).toEqual(bufferedItems(buffered))
  })

  it('keeps an older version of a map as it was', () => {
    const older = entries.with('a', { id: 'a' })
    const newer = older.with('b', { id: 'b' }).without('a')
    expect(reloadedNotes({ entries: older }).entries.values()).toEqual([{ id: 'a' }])
    expect(reloadedNotes({ entries: newer }).entries.values()).toEqual([{ id: 'b' }])
  })

  it('holds plain JSON also of a message that never was text', () => {
    const item = { gone: undefined, zero: -0, list: [undefined, 1], call: () => 1 }
    const saved = saveSession(sessionWith({ buffered: { item, before: undefined } }))
    expect(stored(saved)).toStrictEqual(saved)
    const { buffered } = notesOf(NOTES, loadSession(parrot, saved).notes)
    expect(buffered?.item).toStrictEqual({ zero: 0, list: [null, 1], call: null })
  })

  it('copies an object with many places once', () => {
    const buffered = { item: { deep: shared(60) }, before: undefined }
    const saved = saveSession(sessionWith({ buffered }))
    expect(Object.keys(Object(saved).notes.buffered[0])).toEqual(['deep'])
  })

  it('does not share parts with the loaded session', () => {
    const buffered = { item: { a: 1 }, before: undefined }
    const saved = JSON.parse(JSON.stringify(saveSession(sessionWith({ texts: ['a'], buffered }))))
    const loaded = loadSession(parrot, saved)
    saved.notes.texts.push('b')
    saved.notes.buffered[0].a = 2
    saved.state.blocks[0].content = 'other'
    const notes = notesOf(NOTES, loaded.notes)
    expect([notes.texts, notes.buffered?.item]).toEqual([['a'], { a: 1 }])
    expect(loaded.state).toEqual(state)
  })

  it.each<[string, object]>([
    ['another map', { entries: new Map([['a', { id: 'a' }]]) }],
    ['another list', { texts: {} }],
    ['another buffer', { buffered: [] }],
    ['a map without the fields of its values', { entries: entries.with('a', Object({})) }],
  ])('is not made of notes with %s', (_, values) => {
    const notes = newNotes(NOTES, values)
    expect(() => saveSession({ state, notes })).toThrow(TypeError)
  })
})

describe('the checksum of a saved session', () => {
  const session = sessionWith({ count: 1, texts: ['a', 'b'], entries: entries.with('k', { id: 'a' }) })
  const saved = stored(saveSession(session))

  it('stays the same if a database sorts the keys', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      const fields = Object.entries(value).map(([name, part]) => [name, reversed(part)] as const)
      return Object.fromEntries(fields.toReversed())
    }
    expect(JSON.stringify(reversed(saved))).not.toBe(JSON.stringify(saved))
    expect(saveSession(loadSession(parrot, reversed(saved)))).toEqual(saved)
  })

  it.each<[string, (copy: ReturnType<typeof JSON.parse>) => void]>([
    ['a value of a note', (copy) => (copy.notes.count = 2)],
    ['the order of a list', (copy) => copy.notes.texts.reverse()],
    ['a note that is gone', (copy) => delete copy.notes.texts],
    ['a note that has no shape', (copy) => (copy.notes.song = 'la')],
    ['a value of the state', (copy) => (copy.state.blocks[0].content = 'Other words.')],
    ['a block that is gone', (copy) => copy.state.blocks.pop()],
    ['a fact of the session', (copy) => (copy.state.session.model = 'm')],
    ['the checksum itself', (copy) => (copy.checksum = '0000000000000000')],
    ['no checksum', (copy) => delete copy.checksum],
  ])('shows another content: %s', (_, change) => {
    const copy = JSON.parse(JSON.stringify(saved))
    change(copy)
    expect(refusal(copy)).toMatchObject({ code: 'damaged', issues: [] })
  })

  it('is another one for a longer state and for each note', () => {
    const checksums = [{}, { count: 1 }, { count: 2 }, { name: '1' }, { texts: ['1'] }].map(
      (values) => Object(saveSession(sessionWith(values))).checksum,
    )
    expect(new Set(checksums).size).toBe(5)
  })
})

describe('a session that cannot be loaded', () => {
  const saved: object = Object(saveSession(sessionWith({ count: 1 })))

  it('is one of another source, and the error names both', () => {
    const other = sourceOf(declareNotes({ source: 'macaw', version: 3 }, FIELDS))
    const error = refusal(saved, other)
    expect(error.code).toBe('other-source')
    expect(error.message).toBe('a session of parrot, but this source reads macaw')
  })

  it('is loaded by a source that reads several wires', () => {
    const macaw = declareNotes({ source: 'macaw', version: 1 }, FIELDS)
    const both: Source = { ...parrot, notes: [macaw, NOTES] }
    expect(saveSession(loadSession(both, saved))).toEqual(saved)
    expect(refusal({ ...saved, source: 'owl' }, both).message).toContain('macaw, parrot')
  })

  it.each([{ version: 0 }, { version: 2 }, { notesVersion: 2 }, { notesVersion: 4 }, { notesVersion: NaN }])(
    'has another version: %j',
    (version) => {
      expect(refusal({ ...saved, ...version }).code).toBe('unknown-version')
    },
  )

  it.each<[string, unknown]>([
    ['nothing', null],
    ['undefined', undefined],
    ['a text', JSON.stringify(saved)],
    ['a list', [saved]],
    ['an empty object', {}],
    ['a session', sessionWith({})],
    ['one without its source', { ...saved, source: undefined }],
    ['one without its version', { ...saved, version: undefined }],
    ['one without the version of its notes', { ...saved, notesVersion: undefined }],
    ['one without a state', { ...saved, state: undefined }],
    ['one without notes', { ...saved, notes: undefined }],
    ['one with a list of notes', { ...saved, notes: [] }],
    ['a value that throws when it is looked at', touchy()],
    ['a revoked proxy', revoked()],
    ['a state that throws when it is looked at', { ...saved, state: touchy() }],
    ['notes that throw when they are looked at', { ...saved, notes: touchy() }],
    ['a note that throws when it is looked at', { ...saved, notes: { texts: touchy() } }],
  ])('is %s', (_, value) => {
    expect(refusal(value)).toMatchObject({ name: 'SnapshotError', code: 'not-a-snapshot' })
  })
})

describe('a wrong part of a saved session', () => {
  const full = sessionWith({
    phase: 'running',
    count: 1,
    name: 'a',
    texts: ['a'],
    entries: entries.with('k', { id: 'a', seen: ids.with('e', true) }),
    seen: ids.with('e', true),
    buffered: { item: {}, before: undefined },
  })
  const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)

  it.each<[string, string, (saved: ReturnType<typeof JSON.parse>) => void]>([
    ['notes.phase', 'one of none, running', ({ notes }) => (notes.phase = 'ended')],
    ['notes.count', 'a finite number', ({ notes }) => (notes.count = '1')],
    ['notes.name', 'a string', ({ notes }) => (notes.name = null)],
    ['notes.texts.1', 'a string', ({ notes }) => notes.texts.push(1)],
    ['notes.texts', 'a list', ({ notes }) => (notes.texts = {})],
    ['notes.entries.0', 'a pair of a key and a value', ({ notes }) => notes.entries[0].push(1)],
    ['notes.entries.0', 'a pair of a key and a value', ({ notes }) => (notes.entries[0][0] = 1)],
    ['notes.entries.0.1.id', 'a string', ({ notes }) => delete notes.entries[0][1].id],
    ['notes.entries.0.1.seen.0', 'a string', ({ notes }) => (notes.entries[0][1].seen[0] = {})],
    ['notes.seen.1', 'a string', ({ notes }) => notes.seen.push(null)],
    ['notes.seen', 'a list', ({ notes }) => (notes.seen = { a: true })],
    ['notes.buffered', 'a list with an item', ({ notes }) => (notes.buffered = [])],
    ['notes.buffered.0', 'a JSON object', ({ notes }) => (notes.buffered = [[]])],
    ['notes.buffered.0', 'a value of at most 256 levels', ({ notes }) => (notes.buffered = [deep])],
    [
      'state.turn.status',
      'one of idle, running, finished, interrupted, failed',
      ({ state: copy }) => (copy.turn.status = 'x'),
    ],
    ['state.blocks.0.content', 'a string', ({ state: copy }) => delete copy.blocks[0].content],
    ['state', 'a value of at most 259 levels', ({ state: copy }) => (copy.blocks[0].deep = deep)],
  ])('is named: %s must be %s', (path, expected, spoil) => {
    const error = refusal(changed(full, spoil))
    expect(error).toMatchObject({
      code: 'not-a-snapshot',
      message: `not a saved session: ${path} must be ${expected}`,
    })
    expect(error.issues[0]).toEqual({ code: 'invalid-value', path: pathOf(path), expected })
  })

  it('is named with the other wrong parts, a hundred at most', () => {
    const texts = Array.from({ length: 1000 }, () => 7)
    expect(refusal(changed(full, ({ notes }) => (notes.texts = texts))).issues).toHaveLength(100)
  })

  it('costs nothing if it is a list of a billion holes', () => {
    const saved: object = Object(saveSession(full))
    const texts = Object.assign([], { length: 4e9 })
    const error = refusal({ ...saved, notes: { texts } })
    expect(error.issues[0]).toMatchObject({ path: ['notes', 'texts', 0] })
  })

  it('may be nested a hundred thousand levels deep', () => {
    const deeper = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    const saved = Object(saveSession(full))
    for (const part of [
      { notes: { ...saved.notes, buffered: [deeper] } },
      { notes: { ...saved.notes, song: deeper } },
      { state: { ...saved.state, song: deeper } },
    ])
      expect(['damaged', 'not-a-snapshot']).toContain(refusal({ ...saved, ...part }).code)
  })
})

describe('a message at the greatest depth', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

  const line = { type: 'user', agentId: 'a', isSidechain: true, sessionId: 's', message: { content: 'x' } }
  const part = { type: 'text', text: 'x', id: 'p', messageID: 'm', sessionID: 's', extra: nested(400) }

  it.each([
    ['the lines of an agent of Claude Code', claudeSource, 'buffered', { ...line, extra: nested(400) }],
    [
      'the events of a session of OpenCode',
      opencodeSource,
      'buffered',
      { type: 'message.part.updated', properties: { part } },
    ],
  ])('is saved while %s wait', (_, source, name, message) => {
    const { session } = source.read(source.open(), [message])
    expect(Reflect.get(session.notes.values, name).isEmpty).toBe(false)
    const [end, again] = [session, reloaded(source, session)].map((each) => source.end(each))
    expect(again && outputOf(again)).toEqual(end && outputOf(end))
    expect(again?.session.state).toEqual(end?.session.state)
  })
})

function pathOf(path: string): readonly (string | number)[] {
  return path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
}
