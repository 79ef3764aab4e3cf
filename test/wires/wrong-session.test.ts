import { describe, expect, it } from 'vitest'
import { saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'
import { allFormats } from '../../src/wires/all.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { reloaded } from './saved.ts'

const formats = allFormats().map(({ name }) => ({ name, source: loadedSourceOf(name) }))

describe.each(formats)('the source of $name', ({ name, source }) => {
  const own = source.open()
  const wrong: readonly { readonly what: string; readonly session: unknown }[] = [
    { what: 'a session that went through plain JSON', session: JSON.parse(JSON.stringify(own)) },
    { what: 'what `saveSession` returned', session: saveSession(own) },
    { what: 'the values of its notes alone', session: { ...own, notes: own.notes.values } },
    { what: 'nothing', session: undefined },
    { what: 'null', session: null },
    { what: 'an empty object', session: {} },
    ...formats
      .filter((other) => other.name !== name)
      .map((other) => ({ what: `a session of ${other.name}`, session: other.source.open() })),
  ]

  it.each(wrong)('refuses $what as its session', ({ session }) => {
    const refusal = new TypeError(
      'pass a session that this source returned: `loadSession` makes it from what `saveSession` returned',
    )
    // A caller without types may pass anything.
    expect(() => Reflect.apply(source.read, source, [session, [{}]])).toThrow(refusal)
    expect(() => Reflect.apply(source.read, source, [session, []])).toThrow(refusal)
    expect(() => Reflect.apply(source.end, source, [session])).toThrow(refusal)
  })

  it('takes its own session', () => {
    expect(() => source.read(reloaded(source, own), [{}])).not.toThrow()
  })
})

it.each<[string, (session: Session) => unknown]>([
  ['is nothing', () => undefined],
  ['is null', () => null],
  ['went through plain JSON', (session) => JSON.parse(JSON.stringify(session))],
  ['was saved', saveSession],
  ['has the values of its notes alone', ({ state, notes }) => ({ state, notes: notes.values })],
])('no session is saved that %s', (_, change) => {
  for (const { source } of formats)
    expect(() => Reflect.apply(saveSession, undefined, [change(source.open())])).toThrow(
      new TypeError('pass a session that a source returned'),
    )
})
