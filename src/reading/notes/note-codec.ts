import { checkOf, MAX_ISSUES, refuse, type ShapeIssue } from '../../core/json/check-shape.ts'
import { copyJson, isTooDeep, MAX_DEPTH } from '../../core/json/depth.ts'
import { fieldName, type Shape } from '../../core/json/shape.ts'
import { asArray, asObject, isObject, type JsonValue } from '../../core/json/values.ts'
import type { NoteFields, NoteShape } from './note-shape.ts'
import { type Buffered, bufferedItems, isBuffered, type MapValue, PersistentMap } from './persistent-map.ts'

type Path = ShapeIssue['path']

/** Turns a part of the notes into JSON and back. */
interface NoteCodec {
  /** Returns the JSON of the part. Throws a `TypeError` for a value that is no such part. */
  encode(value: unknown): JsonValue
  /**
   * Returns the part that the JSON holds, without references into the JSON. Adds an issue for each wrong part of the
   * JSON; the result is then useless. Throws what a getter or a proxy of the JSON throws.
   */
  decode(saved: unknown, issues: ShapeIssue[], path: Path): unknown
}

/** Returns the codec of a shape. */
export function codecOf(shape: NoteShape): NoteCodec {
  if (typeof shape === 'string') return plainCodec(shape)
  if ('mapOf' in shape) return mapCodec(codecOf(shape.mapOf))
  if ('setOf' in shape) return setCodec
  if ('bufferOf' in shape) return bufferCodec(codecOf(shape.bufferOf))
  if ('listOf' in shape) return listCodec(codecOf(shape.listOf))
  if ('oneOf' in shape || 'stringOr' in shape || 'byType' in shape) return plainCodec(shape)
  return objectCodec(shape.fields)
}

function plainCodec(shape: Shape): NoteCodec {
  const check = checkOf(shape)
  return {
    encode: (value) => (value === undefined ? notSavable() : copyJson(value)),
    decode(saved, issues, path) {
      if (isTooDeep(saved))
        return void refuse(issues, 'invalid-value', path, `a value of at most ${MAX_DEPTH} levels`)
      const copy = copyJson(saved)
      check(copy, issues, path)
      return copy
    },
  }
}

function objectCodec(fields: NoteFields): NoteCodec {
  const codecs = Object.entries(fields).map(([entry, shape]) => ({
    name: fieldName(entry),
    isOptional: entry.endsWith('?'),
    codec: codecOf(shape),
  }))
  return {
    encode(value) {
      const object = asObject(value)
      const present = codecs.filter(({ name, isOptional }) => !isOptional || object[name] !== undefined)
      return Object.fromEntries(present.map(({ name, codec }) => [name, codec.encode(object[name])]))
    },
    decode(saved, issues, path) {
      if (!isObject(saved)) return void refuse(issues, 'invalid-value', path, 'an object')
      const present = codecs.filter(({ name, isOptional }) => !isOptional || saved[name] !== undefined)
      return Object.fromEntries(
        present.map(({ name, codec }) => [name, codec.decode(saved[name], issues, [...path, name])]),
      )
    },
  }
}

function listCodec(item: NoteCodec): NoteCodec {
  return {
    encode: (value) => (Array.isArray(value) ? value.map(item.encode) : notSavable()),
    decode: (saved, issues, path) => decodeList(item, saved, issues, path),
  }
}

function decodeList(item: NoteCodec, saved: unknown, issues: ShapeIssue[], path: Path): readonly unknown[] {
  if (!Array.isArray(saved)) refuse(issues, 'invalid-value', path, 'a list')
  const [list, items]: [readonly unknown[], unknown[]] = [asArray(saved), []]
  // `map` would visit a billion holes of a list.
  for (let at = 0; at < list.length && issues.length < MAX_ISSUES; at += 1)
    items.push(item.decode(list[at], issues, [...path, at]))
  return items
}

function bufferCodec(item: NoteCodec): NoteCodec {
  return {
    encode: (value) => (isBuffered(value) ? bufferedItems(value).map(item.encode) : notSavable()),
    decode(saved, issues, path) {
      const items = decodeList(item, saved, issues, path)
      // The items of a list are not read if there are many issues.
      if (Array.isArray(saved) && saved.length === 0)
        refuse(issues, 'invalid-value', path, 'a list with an item')
      return items.reduce<Buffered<unknown> | undefined>(
        (before, each) => ({ item: each, before }),
        undefined,
      )
    },
  }
}

/** The codec of a map. Pairs keep the order of the entries, and any key is data in them. */
function mapCodec(item: NoteCodec): NoteCodec {
  const pair: NoteCodec = {
    encode: (value) => asArray(value).map((part, at) => (at === 0 ? copyJson(part) : item.encode(part))),
    decode(saved, issues, path) {
      const [key, value, ...others] = asArray(saved)
      if (typeof key === 'string' && others.length === 0)
        return [key, item.decode(value, issues, [...path, 1])]
      return void refuse(issues, 'invalid-value', path, 'a pair of a key and a value')
    },
  }
  return {
    encode: (value) => (value instanceof PersistentMap ? value.entries().map(pair.encode) : notSavable()),
    decode: (saved, issues, path) => mapFrom(decodeList(pair, saved, issues, path)),
  }
}

const TEXT = /* @__PURE__ */ plainCodec('string')

/** The codec of a set. It is saved as the list of its ids. */
const setCodec: NoteCodec = {
  encode: (value) => (value instanceof PersistentMap ? value.entries().map(([id]) => id) : notSavable()),
  decode: (saved, issues, path) => mapFrom(decodeList(TEXT, saved, issues, path).map((id) => [id, true])),
}

function notSavable(): never {
  throw new TypeError('pass a session that a source returned: a note is no value of its shape')
}

function mapFrom(entries: readonly unknown[]): PersistentMap<MapValue> {
  const map = new Map<string, MapValue>()
  for (const entry of entries) {
    const [key, value] = asArray(entry)
    if (typeof key === 'string' && isMapValue(value)) map.set(key, value)
  }
  return new PersistentMap(map)
}

function isMapValue(value: unknown): value is MapValue {
  return value !== undefined && value !== null
}
