import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TranscriptError } from '../../../src/formats/combined.ts'
import { opencodeSource } from '../../../src/formats/opencode/source.ts'
import type { ConversationBlock, SessionConversationState } from '../../../src/index.ts'
import { threadsOf } from '../recordings.ts'
import { recording, recordings, replay } from './recordings.ts'

/** Damages lines at a place among them. */
type Mutation = (lines: readonly string[], place: number) => readonly string[]

const at = (lines: readonly string[], place: number) => place % Math.max(1, lines.length)
const insert =
  (line: string): Mutation =>
  (lines, place) =>
    lines.toSpliced(at(lines, place), 0, line)

function change(news: (fields: Record<string, unknown>) => unknown): Mutation {
  return (lines, place) =>
    lines.map((line, index) => {
      if (index !== at(lines, place) || !line.startsWith('{')) return line
      const fields: Record<string, unknown> = JSON.parse(line)
      return JSON.stringify(news(fields))
    })
}

const changeProperties = (news: (properties: Record<string, unknown>) => unknown): Mutation =>
  change((fields) => ({ ...fields, properties: news(Object(fields.properties)) }))

const oddly = (value: unknown): Mutation =>
  changeProperties((properties) =>
    Object.fromEntries(
      Object.keys(properties).map((key) => [key, key === 'sessionID' ? properties[key] : value]),
    ),
  )

/** Lines of unknown types. `SESSION` stands for the recording's session. */
const unknownLines = [
  '{"id":"evt_tea","type":"tea.break","properties":{"sessionID":"SESSION"}}',
  '{"type":"tea","timestamp":1,"sessionID":"SESSION","part":{}}',
  '{"payload":{"type":"tea.break"}}',
  '{"properties":{}}',
  '[null]',
  'null',
  // The end of a truncated line.
  'rties":{"sessionID":"x"}}',
]

const mutations: Readonly<Record<string, Mutation>> = {
  drop: (lines, place) => lines.toSpliced(at(lines, place), 1),
  dropMany: (lines, place) => lines.toSpliced(at(lines, place), 5),
  repeat: (lines, place) => lines.toSpliced(at(lines, place), 0, lines[at(lines, place)] ?? ''),
  move: (lines, place) => [...lines.toSpliced(at(lines, place), 1), lines[at(lines, place)] ?? ''],
  first: (lines, place) => [lines[at(lines, place)] ?? '', ...lines.toSpliced(at(lines, place), 1)],
  unknownType: change((fields) => ({ ...fields, type: 'tea.break' })),
  unknownPart: changeProperties((properties) => ({
    ...properties,
    part: { ...Object(properties.part), type: 'tea' },
  })),
  newField: changeProperties((properties) => ({ ...properties, tea: { strength: 3 } })),
  noProperties: change(({ properties, ...fields }) => fields),
  noId: change(({ id, ...fields }) => fields),
  noSession: changeProperties(({ sessionID, ...properties }) => properties),
  noPartId: changeProperties((properties) => ({
    ...properties,
    part: { ...Object(properties.part), id: undefined },
  })),
  noState: changeProperties((properties) => ({
    ...properties,
    part: { ...Object(properties.part), state: undefined },
  })),
  sevens: oddly(7),
  nulls: oddly(null),
  lists: oddly([null, 7, 'x']),
  texts: oddly('x'),
  objects: oddly({ type: 'tool', id: 7, state: { status: 'completed', metadata: [] }, time: 'noon' }),
  mains: changeProperties((properties) => ({ ...properties, sessionID: 'main' })),
  elsewhere: changeProperties((properties) => ({ ...properties, sessionID: 'ses_elsewhere' })),
  noChild: changeProperties((properties) => ({
    ...properties,
    info: { ...Object(properties.info), parentID: undefined },
  })),
  ownChild: changeProperties((properties) => ({
    ...properties,
    info: { ...Object(properties.info), parentID: properties.sessionID },
  })),
}

const mutation = fc.tuple(fc.constantFrom(...Object.keys(mutations)), fc.nat())
const names = recordings.map(({ name }) => name)
const linesOf = (name: string): readonly string[] => recording(name).events.trimEnd().split('\n')

describe('damaged events', () => {
  it('are read as far as possible, whatever the damage', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        (name, all) => {
          expect(stateOf(damaged(linesOf(name), all))).toBeDefined()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are read as far as possible, wherever the input ends', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, place) => {
        const { events } = recording(name)
        const cut = events.slice(0, place % events.length)
        fc.pre(cut.includes('\n'))
        const codes = replay(cut).issues.map(({ code }) => code)
        const isWhole = cut.endsWith('\n') || events.startsWith(`${cut}\n`)
        expect(codes.filter((code) => code === 'malformed-line')).toHaveLength(isWhole ? 0 : 1)
        expect(codes.filter((code) => code.startsWith('unknown'))).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('give the same blocks if some lines arrive twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(fc.nat(), { maxLength: 10 }), (name, places) => {
        const lines = linesOf(name)
        const repeated = new Set(places.map((place) => at(lines, place)))
        const twice = lines.flatMap((line, index) => (repeated.has(index) ? [line, line] : [line]))
        expect(stateOf(twice)).toEqual(stateOf(lines))
      }),
      { numRuns: 40 },
    )
  })

  it('give the same state with unknown lines between them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.tuple(fc.constantFrom(...unknownLines), fc.nat()), { maxLength: 8 }),
        (name, all) => {
          const { mainSession } = recording(name)
          const lines = all.reduce<readonly string[]>(
            (before, [line, place]) => insert(line.replace('SESSION', mainSession))(before, place),
            linesOf(name),
          )
          expect(stateOf(lines)).toEqual(stateOf(linesOf(name)))
        },
      ),
      { numRuns: 30 },
    )
  })

  it('give the same state if every event has new fields', () => {
    const added = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && 'sessionID' in value
        ? { ...value, tea: { strength: [3] } }
        : value
    for (const name of names) {
      const lines = linesOf(name).map((line) => JSON.stringify(JSON.parse(line), added))
      expect(lines.join()).toContain('strength')
      expect(stateOf(lines)).toEqual(stateOf(linesOf(name)))
    }
  })
})

describe('damaged exports', () => {
  // The damage replaces any value of the JSON.
  it('are read as far as possible', () => {
    const odd = fc.constantFrom<unknown>(undefined, null, 7, 'x', [], [null], {}, { type: 'tea' }, -1)
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.tuple(fc.nat(), odd), { maxLength: 4 }),
        (name, all) => {
          const damage = (text: string) =>
            all.reduce((before, [place, value]) => replaced(before, place, value), text)
          const files = Object.values(recording(name).files).map(damage)
          expect(stateOf([`[${files.join(',')}]`])).toBeDefined()
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** Returns the JSON with another value at a place among all its values. */
function replaced(text: string, place: number, value: unknown): string {
  let count = 0
  JSON.parse(text, () => {
    count += 1
  })
  const chosen = place % count
  let index = 0
  const isRoot = (key: string) => key === ''
  const result: unknown = JSON.parse(text, (key, item: unknown) => {
    index += 1
    return index - 1 === chosen && !isRoot(key) ? value : item
  })
  return JSON.stringify(result)
}

describe('any JSON value', () => {
  it('gives events or an issue, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 10 }), (messages) => {
        let { initial: memory } = opencodeSource
        for (const message of messages) memory = opencodeSource.translate(memory, message).memory
        expect(opencodeSource.end(memory).ending).toBe('open')
      }),
      { numRuns: 50 },
    )
  })
})

function damaged(lines: readonly string[], all: readonly (readonly [string, number])[]): readonly string[] {
  return all.reduce<readonly string[]>(
    (before, [name, place]) => mutations[name]?.(before, place) ?? before,
    lines,
  )
}

/** Reads a damaged input. A refusal is a valid result too. */
function stateOf(lines: readonly string[]): SessionConversationState | 'not a transcript' {
  try {
    const { state, reducerIssues } = replay(lines.join('\n'))
    expect(reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
    expectWellFormed(state)
    return state
  } catch (error) {
    expect(error).toBeInstanceOf(TranscriptError)
    return 'not a transcript'
  }
}

function expectWellFormed(state: SessionConversationState): void {
  for (const { blocks } of threadsOf(state)) {
    const ids = blocks.map(({ id }: ConversationBlock) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  for (const { toolUseId } of state.subagents) expect(toolUseId).not.toBe('main')
}
