import {
  checkOf,
  describeIssue,
  MAX_ISSUES,
  refuse,
  type ShapeIssue,
  SnapshotError,
} from '../core/json/check-shape.ts'
import { checksumOf } from '../core/json/checksum.ts'
import { copyJson, isTooDeep, MAX_DEPTH } from '../core/json/depth.ts'
import { fieldName, type Shape } from '../core/json/shape.ts'
import { asArray, asObject, isObject, type JsonObject, type JsonValue } from '../core/json/values.ts'
import { restoreState } from '../core/state/restore-state.ts'
import type { NoteFields, NoteShape } from './notes/note-shape.ts'
import { Notes, type NotesDeclaration, newNotes, nonEmptyNotes } from './notes/notes.ts'
import {
  type Buffered,
  bufferedItems,
  isBuffered,
  type MapValue,
  PersistentMap,
} from './notes/persistent-map.ts'
import type { Session, Source } from './source.ts'

/**
 * Returns the session as plain JSON, with the name of its source, versions and a checksum. Its size is proportional
 * to the state and the notes. Throws a `TypeError` for a value that no source returned.
 */
export function saveSession(session: Session): JsonValue {
  const { notes } = asObject(session)
  if (!(notes instanceof Notes)) throw new TypeError('pass a session that a source returned')
  const { source, version, shapes } = notes.declaration
  const content = {
    state: copyJson(session.state),
    notes: codecOf({ fields: shapes }).encode(nonEmptyNotes(notes)),
  }
  return { version: VERSION, source, notesVersion: version, checksum: checksumOf(content), ...content }
}

const VERSION = 1

/**
 * Returns the session that `saveSession` saved. The source goes on exactly as before. Throws a `SnapshotError`, whose
 * `issues` name the wrong places, for any other value.
 */
export function loadSession(source: Source, saved: unknown): Session {
  try {
    return read(source, saved)
  } catch (error) {
    // A getter or a proxy of the value threw.
    throw error instanceof SnapshotError ? error : notSaved('unreadable')
  }
}

function read(source: Source, saved: unknown): Session {
  if (!isObject(saved)) throw notSaved('the value is no object')
  const declaration = declarationOf(source, saved)
  const issues: ShapeIssue[] = []
  checkDepth('state', saved.state, issues)
  const state = issues.length > 0 ? undefined : restoreState(saved.state, issues, ['state'])
  const values = codecOf({ fields: declaration.shapes }).decode(saved.notes, issues, ['notes'])
  // The shapes name the place of a deep note, but do not look at unknown fields.
  if (issues.length === 0) checkDepth('notes', saved.notes, issues)
  if (!state || issues.length > 0 || !isObject(values))
    throw notSaved(issues.map(describeIssue)[0] ?? '', issues)
  if (saved.checksum !== checksumOf({ state: copyJson(saved.state), notes: copyJson(saved.notes) }))
    throw new SnapshotError('damaged', 'the session is not as it was saved: its checksum differs')
  return { state, notes: newNotes(declaration, values) }
}

/**
 * A subagent's block is three levels deeper than in its event, and a note in a list of a map somewhat more. Each note
 * has its own limit, too.
 */
const MAX_DEPTHS = { state: MAX_DEPTH + 3, notes: MAX_DEPTH + 8 }

function checkDepth(part: keyof typeof MAX_DEPTHS, value: unknown, issues: ShapeIssue[]): void {
  const depth = MAX_DEPTHS[part]
  if (isTooDeep(value, depth)) refuse(issues, 'invalid-value', [part], `a value of at most ${depth} levels`)
}

/** Returns the declaration of the saved notes. */
function declarationOf(
  source: Source,
  { version, source: name, notesVersion }: JsonObject,
): NotesDeclaration {
  if (typeof version !== 'number' || typeof name !== 'string' || typeof notesVersion !== 'number')
    throw notSaved('it needs version, source and notesVersion')
  const declaration = source.notes.find((each) => each.source === name)
  if (!declaration)
    throw new SnapshotError('other-source', `a session of ${name}, but this source reads ${namesOf(source)}`)
  if (version !== VERSION || notesVersion !== declaration.version)
    throw new SnapshotError(
      'unknown-version',
      `a session of version ${version}.${notesVersion}, but this library reads version ${VERSION}.${declaration.version}`,
    )
  return declaration
}

function namesOf({ notes }: Source): string {
  return notes.map(({ source }) => source).join(', ')
}

function notSaved(reason: string, issues: readonly ShapeIssue[] = []): SnapshotError {
  return new SnapshotError('not-a-snapshot', `not a saved session: ${reason}`, issues)
}

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
function codecOf(shape: NoteShape): NoteCodec {
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
