import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SnapshotError, type Source } from '../../src/index.ts'
import { claudeSource } from '../../src/wires/claude/index.ts'
import { opencodeSource } from '../../src/wires/opencode/index.ts'
import { odd, revoked, touchy, withoutPollution } from '../hostile/values.ts'
import { objectsIn } from '../objects.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { stored } from './saved.ts'

type Path = readonly (string | number)[]

/** A real saved memory, and the messages that come next. */
interface Save {
  readonly source: Source<unknown>
  readonly saved: unknown
  readonly next: readonly unknown[]
}

/** A place in a saved memory. */
interface Place extends Save {
  readonly path: Path
}

const saves = inputs.flatMap(savesOf)
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

const formats: readonly {
  readonly name: string
  readonly version: number
  readonly source: Source<unknown>
  readonly other: Source<unknown>
}[] = [
  { name: 'claude-sdk', version: 2, source: claudeSource, other: opencodeSource },
  { name: 'opencode', version: 1, source: opencodeSource, other: claudeSource },
]

describe('a wrong value in a saved memory', () => {
  it.each(places)('is refused by its place, or loaded: $name', ({ source, saved, next, path }) => {
    for (const wrong of wrongValues) {
      const error = use({ source, saved: replaced(saved, path, wrong), next })
      if (!error || path.length < 2) continue
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
          use({ ...save, saved })
        }),
        { numRuns: 500 },
      ),
    )
  })
})

describe.each(formats)('the source of $name', ({ name, version: own, source, other }) => {
  const saved: object = Object(source.save(source.initial))

  it('refuses the memory of another format, and names both', () => {
    const error = refusal(source, other.save(other.initial))
    expect(error.code).toBe('other-format')
    for (const format of formats) expect(error.message).toContain(format.name)
  })

  it.each([0, own - 1, own + 1, 1.5, NaN])('refuses the memory of version %d', (version) => {
    expect(refusal(source, { ...saved, version }).code).toBe('unknown-version')
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['undefined', undefined],
    ['a text', JSON.stringify(saved)],
    ['a list', [saved]],
    ['an empty object', {}],
    ['a memory without its name', { ...saved, format: undefined }],
    ['a memory without its version', { ...saved, version: undefined }],
    ['a label alone', { ...saved, memory: undefined }],
    ['a value that throws when it is looked at', touchy()],
    ['a revoked proxy', revoked()],
    ['fields that throw when they are looked at', { ...saved, memory: touchy() }],
  ])('refuses %s', (_, value) => {
    expect(refusal(source, value)).toMatchObject({ name: 'SnapshotError', code: 'not-a-snapshot' })
  })

  it('names itself in the saved memory', () => {
    expect(saved).toMatchObject({ format: name, version: own })
  })
})

/** Returns up to three saved memories of a recording. */
function savesOf({ source, messages }: RecordedInput): readonly Save[] {
  const cuts = [0.3, 0.6, 1].map((part) => Math.floor(messages.length * part))
  return cuts.map((cut) => ({
    source,
    saved: source.save(source.translateAll(source.initial, messages.slice(0, cut)).memory),
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
    visit(save, save.saved, [], JSON.stringify(Reflect.get(Object(save.saved), 'format')))
  return found
}

function replaced(value: unknown, [key, ...rest]: Path, wrong: unknown): unknown {
  if (key === undefined) return wrong
  const copy = Array.isArray(value) ? [...value] : { ...Object(value) }
  Reflect.set(copy, key, replaced(Reflect.get(copy, key), rest, wrong))
  return copy
}

/** Whether one path leads to the other's value or into it. */
function isNear(left: Path, right: Path): boolean {
  const length = Math.min(left.length, right.length)
  return left.slice(0, length).join('\n') === right.slice(0, length).join('\n')
}

/** Loads the memory and goes on with it. Returns the error of a refused memory. */
function use({ source, saved, next }: Save): SnapshotError | undefined {
  let memory: unknown
  try {
    memory = source.load(saved)
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError)
    return error instanceof SnapshotError ? error : undefined
  }
  const { memory: last } = source.translateAll(memory, next)
  source.end(last)
  source.load(stored(source.save(last)))
  return undefined
}

function refusal(source: Source<unknown>, saved: unknown): SnapshotError {
  try {
    source.load(saved)
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
  throw new Error('it was loaded')
}
