import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isObject, isString, type JsonObject, parseJson } from '../../src/core/json/values.ts'

/** A kind of line: how many lines have it, and which fields they have. */
export interface Kind {
  readonly count: number
  readonly fields: readonly string[]
}

/** The kinds of lines of a program, by the place of the lines and their types. */
export type Shape = Readonly<Record<string, Kind>>

/** Returns the kinds of lines and fields in the recordings of a folder. The logs of the recorder have no part in it. */
export function shapeOf(folder: string): Shape {
  const found = new Map<string, { count: number; fields: Set<string> }>()
  for (const path of linesIn(folder)) {
    const place = /(?:^|\/)store\//.test(relative(folder, path)) ? 'store' : 'stream'
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const value = parseJson(line)
      if (!isObject(value)) continue
      const name = `${place} ${kindOf(value)}`.trim()
      const kind = found.get(name) ?? { count: 0, fields: new Set() }
      kind.count += 1
      for (const field of fieldsOf(value)) kind.fields.add(field)
      found.set(name, kind)
    }
  }
  const sorted = [...found].sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(
    sorted.map(([name, { count, fields }]) => [name, { count, fields: [...fields].sort() }]),
  )
}

function linesIn(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.(?:ndjson|jsonl)$/.test(name) && name !== 'server.ndjson')
      .map(({ parentPath, name }) => join(parentPath, name))
      // A program may name a folder of its own after the one in which it works.
      .filter((path) => !/^[^/]+\.(?:home|work)\//.test(relative(folder, path)))
  )
}

/** The fields whose words tell what a line is, and those in which the conversation's own part stands. */
const NAMES = ['type', 'subtype', 'method', 'kind', 'role', 'sessionUpdate']
const INNER = ['payload', 'item', 'event', 'message', 'params', 'update', 'properties', 'part', 'msg']

function kindOf(value: JsonObject): string {
  const own = NAMES.flatMap((name) => {
    const word = value[name]
    return isString(word) && /^[\w./:-]{1,50}$/.test(word) ? [word] : []
  })
  const inner = INNER.flatMap((name) => {
    const part = value[name]
    return isObject(part) ? [kindOf(part)] : []
  })
  return [...own, ...inner].filter((word) => word !== '').join(' ')
}

const MOST_LEVELS = 5

function fieldsOf(value: unknown, path = '', level = 0): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => fieldsOf(each, `${path}[]`, level)))]
  if (!isObject(value) || level === MOST_LEVELS) return path === '' ? [] : [path]
  const entries = Object.entries(value)
  if (entries.length === 0) return path === '' ? [] : [path]
  return entries.flatMap(([name, each]) =>
    fieldsOf(each, path === '' ? named(name) : `${path}.${named(name)}`, level + 1),
  )
}

/** An id, a path or a number as the name of a field is a place of its own, and no field of the format. */
function named(name: string): string {
  return /[/\s]|^\d|[0-9a-f]{8}|^(?:call|msg|toolu|ses|prt)_/.test(name) ? '*' : name
}

/** What differs between two shapes of a program. */
export interface ShapeChanges {
  readonly newKinds: readonly string[]
  readonly goneKinds: readonly string[]
  readonly newFields: readonly string[]
  readonly goneFields: readonly string[]
}

/** Returns the kinds of lines, and the fields of kinds that both have, which only one of two shapes has. */
export function shapeChanges(known: Shape, found: Shape): ShapeChanges {
  const missing = (from: Shape, other: Shape) => Object.keys(from).filter((name) => !(name in other))
  const fields = (from: Shape, other: Shape) =>
    Object.entries(from).flatMap(([name, kind]) => {
      const others = other[name]
      return others
        ? kind.fields.filter((field) => !others.fields.includes(field)).map((field) => `${name}: ${field}`)
        : []
    })
  return {
    newKinds: missing(found, known),
    goneKinds: missing(known, found),
    newFields: fields(found, known),
    goneFields: fields(known, found),
  }
}
