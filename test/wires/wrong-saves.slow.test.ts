import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksumOf } from '../../src/core/json/checksum.ts'
import { copyJson, isTooDeep } from '../../src/core/json/depth.ts'
import { claudeSource } from '../../src/entries/claude.ts'
import { SnapshotError } from '../../src/entries/index.ts'
import { opencodeSource } from '../../src/entries/opencode.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'
import { odd, revoked, touchy, withoutPollution } from '../hostile/values.ts'
import { objectsIn } from '../objects.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { stored } from './saved.ts'

type Path = readonly (string | number)[]

/** A real saved session, and the messages that come next. */
interface Save {
  readonly source: Source
  readonly saved: unknown
  readonly next: readonly unknown[]
}

/** A place in a saved session. */
interface Place extends Save {
  readonly path: Path
}

/** The small ones come first, so the first place of a field is one of a small session. */
const saves = inputs
  .flatMap(savesOf)
  .map((save) => ({ ...save, size: JSON.stringify(save.saved).length }))
  .toSorted((left, right) => left.size - right.size)
const places = [...firstPlaces(saves).entries()].map(([name, place]) => ({ name, ...place }))

const wrongValues: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1e300,
  '',
  'main',
  '__proto__',
  [],
  {},
  [null],
  [['__proto__', '__proto__']],
  JSON.parse('{"__proto__":{"type":"text"},"constructor":null}'),
  JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`),
  JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
]

/** One of them fits each kind of a field. */
const OTHER_VALUES: readonly unknown[] = [undefined, true, 7, 'main', [], {}]

const CODES = ['damaged', 'not-a-snapshot', 'other-source', 'unknown-version']

const formats: readonly {
  readonly name: string
  readonly source: Source
  readonly other: Source
}[] = [
  { name: 'claude-sdk', source: claudeSource, other: opencodeSource },
  { name: 'opencode', source: opencodeSource, other: claudeSource },
]

describe('a wrong value in a saved session', () => {
  it.each(places)('is refused by its place, or loaded: $name', ({ source, saved, next, path }) => {
    for (const wrong of shareOf(wrongValues, path)) {
      const error = use({ source, saved: withChecksum(replaced(saved, path, wrong)), next })
      if (!error || path.length < 2) continue
      // A value without known fields may have any others, so only its checksum is wrong.
      if (error.code === 'damaged' && isTooDeep(wrong)) continue
      expect(error.code).toBe('not-a-snapshot')
      expect(error.issues.length).toBeGreaterThan(0)
      for (const issue of error.issues) expect(isNear(issue.path, path), issue.path.join('.')).toBe(true)
      expect(error.message).toContain(error.issues[0]?.path.join('.'))
    }
  })

  it('never breaks a source, even if its parts contradict each other', () => {
    const change = fc.record({ part: fc.nat(), key: fc.nat(), from: fc.nat(), own: fc.boolean(), other: odd })
    withoutPollution(() =>
      fc.assert(
        fc.property(fc.nat(), fc.array(change, { minLength: 1, maxLength: 4 }), (at, changes) => {
          const save = saves[at % saves.length]
          if (!save) return
          const saved = stored(save.saved)
          const parts = objectsIn(saved)
          const copies = objectsIn(stored(save.saved))
          for (const { part, key, from, own, other } of changes) {
            const target = parts[part % parts.length] ?? {}
            const keys = Object.keys(target)
            if (keys.length === 0) continue
            Reflect.set(target, keys[key % keys.length] ?? '', own ? copies[from % copies.length] : other)
          }
          use({ ...save, saved: withChecksum(saved) })
        }),
        { numRuns: 100 },
      ),
    )
  })
})

it.each(places)(
  'a saved session with another value is refused even if the value fits, because its checksum differs: $name',
  (place) => {
    const { source, saved, path } = place
    for (const wrong of shareOf(OTHER_VALUES, path)) {
      const changed = replaced(saved, path, wrong)
      if (!isDeepStrictEqual(stored(changed), saved)) expect(CODES).toContain(refusal(source, changed).code)
    }
  },
)

describe.each(formats)('the source of $name', ({ name, source, other }) => {
  const saved: object = Object(saveSession(source.open()))
  const own = source.notes[0]?.version ?? 0

  it('refuses the session of another source, and names both', () => {
    const error = refusal(source, saveSession(other.open()))
    expect(error.code).toBe('other-source')
    for (const format of formats) expect(error.message).toContain(format.name)
  })

  it.each([0, own - 1, own + 1, 1.5, NaN])('refuses the session with notes of version %d', (version) => {
    expect(refusal(source, { ...saved, notesVersion: version }).code).toBe('unknown-version')
  })

  it.each([0, 2, 1.5, NaN])('refuses the session of version %d', (version) => {
    expect(refusal(source, { ...saved, version }).code).toBe('unknown-version')
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['undefined', undefined],
    ['a text', JSON.stringify(saved)],
    ['a list', [saved]],
    ['an empty object', {}],
    ['a session without its source', { ...saved, source: undefined }],
    ['a session without its version', { ...saved, version: undefined }],
    ['a session without the version of its notes', { ...saved, notesVersion: undefined }],
    ['a label alone', { ...saved, state: undefined, notes: undefined }],
    ['a session without a state', { ...saved, state: undefined }],
    ['a session without notes', { ...saved, notes: undefined }],
    ['a value that throws when it is looked at', touchy()],
    ['a revoked proxy', revoked()],
    ['a state that throws when it is looked at', { ...saved, state: touchy() }],
    ['notes that throw when they are looked at', { ...saved, notes: touchy() }],
  ])('refuses %s', (_, value) => {
    expect(refusal(source, value)).toMatchObject({ name: 'SnapshotError', code: 'not-a-snapshot' })
  })

  it('names itself in the saved session', () => {
    expect(saved).toMatchObject({ source: name, notesVersion: own })
  })
})

/** Returns a sixth of the values. Each place has another sixth, and places of one kind have them all. */
function shareOf(values: readonly unknown[], path: Path): readonly unknown[] {
  const from = path.join('.').length % 6
  return values.filter((_, at) => at % 6 === from)
}

/** Returns up to three saved sessions of a recording. */
function savesOf({ source, messages }: RecordedInput): readonly Save[] {
  const cuts = [0.3, 0.6, 1].map((part) => Math.floor(messages.length * part))
  return cuts.map((cut) => ({
    source,
    saved: saveSession(source.read(source.open(), messages.slice(0, cut)).session),
    next: messages.slice(cut, cut + 15),
  }))
}

/** Returns the first place of each field: list items and map entries of one kind are one place. */
function firstPlaces(all: readonly Save[]): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  const visit = (save: Save, value: unknown, path: Path, name: string): void => {
    if (!found.has(name) && path.length > 0) found.set(name, { ...save, path })
    if (typeof value !== 'object' || value === null || path.length > 9) return
    for (const [key, part] of Object.entries(value)) {
      const isItem = Array.isArray(value)
      const isEntry = isItem && typeof value[0] === 'string' && value.length === 2
      visit(save, part, [...path, isItem ? Number(key) : key], `${name}.${isItem && !isEntry ? '*' : key}`)
    }
  }
  for (const save of all)
    visit(save, save.saved, [], JSON.stringify(Reflect.get(Object(save.saved), 'source')))
  return found
}

function replaced(value: unknown, [key, ...rest]: Path, wrong: unknown): unknown {
  if (key === undefined) return wrong
  const copy = Array.isArray(value) ? [...value] : { ...Object(value) }
  Reflect.set(copy, key, replaced(Reflect.get(copy, key), rest, wrong))
  return copy
}

/** Returns a saved session with the checksum of its content, as a careful enemy makes it. */
function withChecksum(saved: unknown): unknown {
  if (typeof saved !== 'object' || saved === null || Array.isArray(saved)) return saved
  const { state, notes } = Object(saved)
  try {
    if (isTooDeep(state, 300) || isTooDeep(notes, 300)) return saved
    return { ...saved, checksum: checksumOf({ state: copyJson(state), notes: copyJson(notes) }) }
  } catch {
    // A part of it throws when it is looked at.
    return saved
  }
}

/** Whether one path leads to the other's value or into it. */
function isNear(left: Path, right: Path): boolean {
  const length = Math.min(left.length, right.length)
  return left.slice(0, length).join('\n') === right.slice(0, length).join('\n')
}

/** Loads the session and goes on with it. Returns the error of a refused session. */
function use({ source, saved, next }: Save): SnapshotError | undefined {
  let session: Session
  try {
    session = loadSession(source, saved)
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError)
    return error instanceof SnapshotError ? error : undefined
  }
  const { session: last } = source.read(session, next)
  source.end(last)
  loadSession(source, stored(saveSession(last)))
  return undefined
}

function refusal(source: Source, saved: unknown): SnapshotError {
  try {
    loadSession(source, saved)
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
  throw new Error('it was loaded')
}
