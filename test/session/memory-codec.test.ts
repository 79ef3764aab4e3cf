import { describe, expect, it } from 'vitest'
import { SnapshotError } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/values.ts'
import { type Buffered, bufferedItems } from '../../src/session/buffer.ts'
import { PersistentMap } from '../../src/session/notes/persistent-map.ts'
import { MemoryCodec } from '../../src/session/save/memory-codec.ts'
import type { MemoryFieldsOf } from '../../src/session/save/memory-shape.ts'
import { claudeSource } from '../../src/wires/claude/index.ts'
import { opencodeSource } from '../../src/wires/opencode/index.ts'
import { shared } from '../hostile/values.ts'
import { stored } from '../wires/saved.ts'

interface Entry {
  readonly id: string
  readonly seen?: PersistentMap<string>
}

interface Memory {
  readonly turn: 'none' | 'running'
  readonly count: number
  readonly name?: string | undefined
  readonly texts: readonly string[]
  readonly byKey: PersistentMap<Entry>
  readonly byId: PersistentMap<Entry>
  readonly buffered?: Buffered<JsonObject>
}

const ENTRY: MemoryFieldsOf<Entry> = { id: 'string', 'seen?': { mapOf: 'string' } }

const FIELDS: MemoryFieldsOf<Memory> = {
  turn: { oneOf: { none: true, running: true } },
  count: 'finite number',
  'name?': 'string',
  texts: { listOf: 'string' },
  byKey: { mapOf: { fields: ENTRY } },
  byId: { mapBy: 'id', of: { fields: ENTRY } },
  'buffered?': { bufferOf: 'JSON object' },
}

const codec = new MemoryCodec<Memory>({ format: 'parrot', version: 3 }, FIELDS)
const entries = new PersistentMap<Entry>()
const empty: Memory = { turn: 'none', count: 0, texts: [], byKey: entries, byId: entries }

/** Returns the memory after a save and a load. */
const reloaded = (memory: Memory) => codec.load(stored(codec.save(memory)))

describe('a saved memory', () => {
  it('is plain JSON, without fields that are undefined', () => {
    expect(codec.save({ ...empty, name: undefined, texts: ['a'] })).toStrictEqual({
      format: 'parrot',
      version: 3,
      memory: { turn: 'none', count: 0, texts: ['a'], byKey: [], byId: [] },
    })
  })

  it('saves only the values of a map whose keys are a field of them', () => {
    const memory = {
      ...empty,
      byKey: entries.with('k', { id: 'a' }),
      byId: entries.with('a', { id: 'a' }),
    }
    expect(codec.save(memory)).toMatchObject({ memory: { byKey: [['k', { id: 'a' }]], byId: [{ id: 'a' }] } })
  })

  it.each(['__proto__', 'constructor', '', '7'])(
    'keeps the key %j of maps, and the order of the keys',
    (key) => {
      const map = entries.with('z', { id: 'z' }).with(key, { id: key }).with('1', { id: '1' })
      const { byKey, byId } = reloaded({ ...empty, byKey: map, byId: map })
      for (const each of [byKey, byId]) expect(each.entries()).toEqual(map.entries())
      expect(byId.get(key)).toEqual({ id: key })
    },
  )

  it('keeps a map inside the value of a map', () => {
    const seen = new PersistentMap<string>().with('e1', 'e1')
    const { byKey } = reloaded({ ...empty, byKey: entries.with('k', { id: 'a', seen }) })
    expect(byKey.get('k')?.seen?.entries()).toEqual([['e1', 'e1']])
  })

  it('keeps ten thousand buffered messages in order', () => {
    let buffered: Buffered<JsonObject> | undefined
    for (let at = 0; at < 10_000; at += 1) buffered = { item: { at }, before: buffered }
    const loaded = reloaded({ ...empty, ...(buffered && { buffered }) })
    expect(bufferedItems(loaded.buffered)).toEqual(bufferedItems(buffered))
  })

  it('keeps an older version of a map as it was', () => {
    const older = entries.with('a', { id: 'a' })
    const newer = older.with('b', { id: 'b' }).without('a')
    expect(reloaded({ ...empty, byId: older }).byId.values()).toEqual([{ id: 'a' }])
    expect(reloaded({ ...empty, byId: newer }).byId.values()).toEqual([{ id: 'b' }])
  })

  it('holds plain JSON also of a message that never was text', () => {
    const item = { gone: undefined, zero: -0, list: [undefined, 1], call: () => 1 }
    const saved = codec.save({ ...empty, buffered: { item, before: undefined } })
    expect(stored(saved)).toStrictEqual(saved)
    expect(codec.load(saved).buffered?.item).toStrictEqual({ zero: 0, list: [null, 1], call: null })
  })

  it('copies an object with many places once', () => {
    const saved = codec.save({ ...empty, buffered: { item: { deep: shared(60) }, before: undefined } })
    expect(Object.keys(codec.load(saved).buffered?.item ?? {})).toEqual(['deep'])
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['an empty object', {}],
    ['saved memory', codec.save(empty)],
    ['a memory with another map', { ...empty, byKey: new Map() }],
    ['a memory without a list', { ...empty, texts: undefined }],
    ['a memory without a buffer', { ...empty, buffered: [] }],
  ])('is not made from %s', (_, value) => {
    expect(() => Reflect.apply(codec.save, codec, [value])).toThrow(TypeError)
  })

  it('does not share parts with the loaded memory', () => {
    const saved = JSON.parse(
      JSON.stringify(codec.save({ ...empty, texts: ['a'], buffered: { item: { a: 1 }, before: undefined } })),
    )
    const memory = codec.load(saved)
    saved.memory.texts.push('b')
    saved.memory.buffered[0].a = 2
    expect([memory.texts, memory.buffered?.item]).toEqual([['a'], { a: 1 }])
  })
})

describe('a wrong part of a saved memory', () => {
  const full = codec.save({
    ...empty,
    byKey: entries.with('k', { id: 'a', seen: new PersistentMap<string>().with('e', 'e') }),
    byId: entries.with('a', { id: 'a' }),
    buffered: { item: {}, before: undefined },
  })
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)

  it.each<[string, string, (memory: ReturnType<typeof JSON.parse>) => void]>([
    ['memory.turn', 'one of none, running', (memory) => (memory.turn = 'ended')],
    ['memory.count', 'a finite number', (memory) => delete memory.count],
    ['memory.name', 'a string', (memory) => (memory.name = null)],
    ['memory.texts.1', 'a string', (memory) => (memory.texts = ['a', 1])],
    ['memory.texts', 'a list', (memory) => (memory.texts = {})],
    ['memory.byKey.0', 'a pair of a key and a value', (memory) => memory.byKey[0].push(1)],
    ['memory.byKey.0', 'a pair of a key and a value', (memory) => (memory.byKey[0][0] = 1)],
    ['memory.byKey.0.1.id', 'a string', (memory) => delete memory.byKey[0][1].id],
    ['memory.byKey.0.1.seen.0.1', 'a string', (memory) => (memory.byKey[0][1].seen[0][1] = {})],
    ['memory.byId.0', 'an object', (memory) => (memory.byId = [null])],
    ['memory.byId.0.id', 'a string', (memory) => (memory.byId = [{ id: 1 }])],
    ['memory.buffered', 'a list with an item', (memory) => (memory.buffered = [])],
    ['memory.buffered.0', 'a JSON object', (memory) => (memory.buffered = [[]])],
    ['memory.buffered.0', 'a value of at most 256 levels', (memory) => (memory.buffered = [deep])],
    ['memory.texts.0', 'a string', (memory) => (memory.texts = Object.assign([], { length: 4e9 }))],
  ])('is named: %s must be %s', (path, expected, spoil) => {
    const saved = JSON.parse(JSON.stringify(full))
    spoil(saved.memory)
    const error = refusal(saved)
    expect(error).toMatchObject({
      code: 'not-a-snapshot',
      message: `not a saved memory: ${path} must be ${expected}`,
    })
    expect(error.issues[0]).toEqual({ code: 'invalid-value', path: pathOf(path), expected })
  })

  it('is named with the other wrong parts, a hundred at most', () => {
    const texts = Array.from({ length: 1000 }, () => 7)
    const memory = { ...empty, texts, byKey: [], byId: [] }
    expect(refusal({ format: 'parrot', version: 3, memory }).issues).toHaveLength(100)
  })
})

it('a memory whose field has no shape, or a wrong one, does not compile', () => {
  // @ts-expect-error: `seen?` is missing
  const missing: MemoryFieldsOf<Entry> = { id: 'string' }
  // @ts-expect-error: the map must say what it holds
  const wrong: MemoryFieldsOf<Entry> = { id: 'string', 'seen?': 'string' }
  // @ts-expect-error: the field is optional
  const required: MemoryFieldsOf<Entry> = { id: 'string', seen: { mapOf: 'string' } }
  // @ts-expect-error: `running` is missing
  const closed: MemoryFieldsOf<Pick<Memory, 'turn'>> = { turn: { oneOf: { none: true } } }
  expect([missing, wrong, required, closed]).toHaveLength(4)
})

describe('a message at the greatest depth', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

  it('is saved while the lines of an agent of Claude Code wait', () => {
    const line = { type: 'user', agentId: 'a', isSidechain: true, sessionId: 's', message: { content: 'x' } }
    const { memory } = claudeSource.translate(claudeSource.initial, { ...line, extra: nested(400) })
    expect(memory.buffered.isEmpty).toBe(false)
    const loaded = claudeSource.load(stored(claudeSource.save(memory)))
    expect(claudeSource.end(loaded)).toEqual(claudeSource.end(memory))
  })

  it('is saved while the events of a session of OpenCode wait', () => {
    const part = { type: 'text', text: 'x', id: 'p', messageID: 'm', sessionID: 's', extra: nested(400) }
    const event = { type: 'message.part.updated', properties: { part } }
    const { memory } = opencodeSource.translate(opencodeSource.initial, event)
    expect(memory.bufferedSessions.isEmpty).toBe(false)
    const loaded = opencodeSource.load(stored(opencodeSource.save(memory)))
    expect(opencodeSource.end(loaded)).toEqual(opencodeSource.end(memory))
  })
})

function pathOf(text: string): readonly (string | number)[] {
  return text.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
}

function refusal(saved: unknown): SnapshotError {
  try {
    codec.load(saved)
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
  throw new Error('it was loaded')
}
