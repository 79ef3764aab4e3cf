import { copyJson } from '../../json/copy.ts'
import { isTooDeep, MAX_DEPTH } from '../../json/depth.ts'
import { checkOf, MAX_ISSUES, refuse, type ShapeIssue } from '../../json/shape/check-shape.ts'
import { fieldName, type Shape } from '../../json/shape/shape.ts'
import { asArray, asObject, asString, isObject, type JsonValue } from '../../json/values.ts'
import { type Buffered, bufferedItems, isBuffered } from '../buffer.ts'
import { PersistentMap } from '../notes/persistent-map.ts'
import type { MemoryFields, MemoryShape } from './memory-shape.ts'

type Path = ShapeIssue['path']

/** Turns a part of a memory into JSON and back. */
export interface ShapeCodec {
  /** Returns the JSON of the part. Throws a `TypeError` for a value that is no such part. */
  encode(value: unknown): JsonValue
  /**
   * Returns the part that the JSON holds, without references into the JSON. Adds an issue for each wrong part of the JSON; the result is
   * then useless. Throws what a getter or a proxy of the JSON throws.
   */
  decode(saved: unknown, issues: ShapeIssue[], path: Path): unknown
}

/** Returns the codec of a shape. */
export function codecOf(shape: MemoryShape): ShapeCodec {
  if (typeof shape === 'string') return plainCodec(shape)
  if ('mapOf' in shape) return mapCodec(codecOf(shape.mapOf))
  if ('mapBy' in shape) return keyedMapCodec(shape.mapBy, codecOf(shape.of))
  if ('bufferOf' in shape) return bufferCodec(codecOf(shape.bufferOf))
  if ('listOf' in shape) return listCodec(codecOf(shape.listOf))
  if ('oneOf' in shape || 'stringOr' in shape || 'byType' in shape) return plainCodec(shape)
  return objectCodec(shape.fields)
}

function plainCodec(shape: Shape): ShapeCodec {
  const check = checkOf(shape)
  return {
    encode: (value) => (value === undefined ? noMemory() : copyJson(value)),
    decode(saved, issues, path) {
      if (isTooDeep(saved))
        return void refuse(issues, 'invalid-value', path, `a value of at most ${MAX_DEPTH} levels`)
      const copy = copyJson(saved)
      check(copy, issues, path)
      return copy
    },
  }
}

function objectCodec(fields: MemoryFields): ShapeCodec {
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

function listCodec(item: ShapeCodec): ShapeCodec {
  return {
    encode: (value) => (Array.isArray(value) ? value.map(item.encode) : noMemory()),
    decode: (saved, issues, path) => decodeList(item, saved, issues, path),
  }
}

function decodeList(item: ShapeCodec, saved: unknown, issues: ShapeIssue[], path: Path): readonly unknown[] {
  if (!Array.isArray(saved)) refuse(issues, 'invalid-value', path, 'a list')
  const [list, items]: [readonly unknown[], unknown[]] = [asArray(saved), []]
  // `map` would visit a billion holes of a list.
  for (let at = 0; at < list.length && issues.length < MAX_ISSUES; at += 1)
    items.push(item.decode(list[at], issues, [...path, at]))
  return items
}

function bufferCodec(item: ShapeCodec): ShapeCodec {
  return {
    encode: (value) => (isBuffered(value) ? bufferedItems(value).map(item.encode) : noMemory()),
    decode(saved, issues, path) {
      const items = decodeList(item, saved, issues, path)
      if (items.length === 0) refuse(issues, 'invalid-value', path, 'a list with an item')
      return items.reduce<Buffered<unknown> | undefined>(
        (before, each) => ({ item: each, before }),
        undefined,
      )
    },
  }
}

/** The codec of a map. Pairs keep the order of the entries, and any key is data in them. */
function mapCodec(item: ShapeCodec): ShapeCodec {
  const pair: ShapeCodec = {
    encode: (value) => asArray(value).map((part, at) => (at === 0 ? copyJson(part) : item.encode(part))),
    decode(saved, issues, path) {
      const [key, value, ...others] = asArray(saved)
      if (typeof key === 'string' && others.length === 0)
        return [key, item.decode(value, issues, [...path, 1])]
      return void refuse(issues, 'invalid-value', path, 'a pair of a key and a value')
    },
  }
  return {
    encode: (value) => (value instanceof PersistentMap ? value.entries().map(pair.encode) : noMemory()),
    decode: (saved, issues, path) => mapFrom(decodeList(pair, saved, issues, path)),
  }
}

function keyedMapCodec(key: string, item: ShapeCodec): ShapeCodec {
  return {
    encode: (value) => (value instanceof PersistentMap ? value.values().map(item.encode) : noMemory()),
    decode: (saved, issues, path) =>
      mapFrom(decodeList(item, saved, issues, path).map((value) => [asObject(value)[key], value])),
  }
}

/** Throws the error for a value that is no memory of the source, or holds a part that is none. */
export function noMemory(): never {
  throw new TypeError('pass a memory that this source returned: `load` makes it from what `save` returned')
}

function mapFrom(entries: readonly unknown[]): PersistentMap<object | string> {
  return entries.reduce<PersistentMap<object | string>>((map, entry) => {
    const [key, value] = asArray(entry)
    return isObject(value) || typeof value === 'string' ? map.with(asString(key) ?? '', value) : map
  }, new PersistentMap())
}
