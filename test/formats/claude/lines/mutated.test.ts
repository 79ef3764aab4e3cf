import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TranscriptError } from '../../../../src/formats/combined.ts'
import type { ConversationBlock, SessionConversationState } from '../../../../src/index.ts'
import { recording, replay, threadsOf } from '../../recordings.ts'

/** Damages lines at a place among them. */
type Mutation = (lines: readonly string[], place: number) => readonly string[]

const at = (lines: readonly string[], place: number) => place % Math.max(1, lines.length)
const insert =
  (line: string): Mutation =>
  (lines, place) =>
    lines.toSpliced(at(lines, place), 0, line)

function changeFields(change: (fields: Record<string, unknown>) => unknown): Mutation {
  return (lines, place) =>
    lines.map((line, index) => {
      if (index !== at(lines, place) || !line.startsWith('{')) return line
      const fields: Record<string, unknown> = JSON.parse(line)
      return JSON.stringify(change(fields))
    })
}

const mutations: Readonly<Record<string, Mutation>> = {
  drop: (lines, place) => lines.toSpliced(at(lines, place), 1),
  dropMany: (lines, place) => lines.toSpliced(at(lines, place), 5),
  repeat: (lines, place) => lines.toSpliced(at(lines, place), 0, lines[at(lines, place)] ?? ''),
  move: (lines, place) => [...lines.toSpliced(at(lines, place), 1), lines[at(lines, place)] ?? ''],
  unknownType: insert('{"type":"tea_break","session_id":"x","uuid":"y"}'),
  unknownSubtype: insert('{"type":"system","subtype":"tea_break"}'),
  noObject: insert('[null]'),
  // The end of a line without its beginning.
  noJson: insert('ssage":{"role":"user"}}'),
  newField: changeFields((fields) => ({ ...fields, tea: { strength: 3 } })),
  noUuid: changeFields(({ uuid, ...fields }) => fields),
  noMessage: changeFields(({ message, ...fields }) => fields),
  noType: changeFields(({ type, ...fields }) => fields),
  oddTypes: changeFields((fields) => Object.fromEntries(Object.keys(fields).map((key) => [key, 7]))),
  oddContent: changeFields((fields) => ({
    ...fields,
    message: { content: [null, 7, { type: 'tea' }, 'x'] },
  })),
  elsewhere: changeFields((fields) => ({ ...fields, parent_tool_use_id: 'nobody', agent_id: 'nobody' })),
  mainsAgent: changeFields((fields) => ({ ...fields, parent_tool_use_id: 'main', agent_id: 'main' })),
}

const mutation = fc.tuple(fc.constantFrom(...Object.keys(mutations)), fc.nat())
const names = [
  '03-tools',
  '06-nested-forward',
  '07-background',
  '07d-send-message',
  '08e-main-drop',
  '10-compact',
  '13-hooks',
]
const linesOf = (name: string): readonly string[] => recording(name).stream.trimEnd().split('\n')

describe('a damaged stream', () => {
  it('is read as far as possible, whatever the damage', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        (name, all) => {
          expect(stateOf(damaged(linesOf(name), all))).toBeDefined()
        },
      ),
      { numRuns: 250 },
    )
  })

  it('is read as far as possible, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, place) => {
        const { stream } = recording(name)
        const cut = stream.slice(0, place % stream.length)
        fc.pre(cut.includes('\n'))
        const codes = replay(cut).issues.map(({ code }) => code)
        const isWhole = cut.endsWith('\n') || stream.startsWith(`${cut}\n`)
        expect(codes.filter((code) => code === 'malformed-line')).toHaveLength(isWhole ? 0 : 1)
        expect(codes.filter((code) => code.startsWith('un') && code !== 'unfinished-subagent')).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('ends with the same blocks if lines arrive twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(fc.nat(), { maxLength: 10 }), (name, places) => {
        const lines = linesOf(name)
        const repeated = new Set(places.map((place) => at(lines, place)))
        const twice = lines.flatMap((line, index) => (repeated.has(index) ? [line, line] : [line]))
        expect(finalContents(stateOf(twice))).toEqual(finalContents(stateOf(lines)))
      }),
      { numRuns: 150 },
    )
  })

  it('keeps the content of all known lines between unknown ones', () => {
    const unknownLine = fc.constantFrom('unknownType', 'unknownSubtype', 'noObject', 'noJson')
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.tuple(unknownLine, fc.nat())),
        (name, unknownLines) => {
          expect(stateOf(damaged(linesOf(name), unknownLines))).toEqual(stateOf(linesOf(name)))
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('damaged files', () => {
  it('are read as far as possible', () => {
    const { disk } = recording('06-nested-forward')
    const damage = (text: string, all: readonly (readonly [string, number])[]) =>
      damaged(text.split('\n'), all).join('\n')
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 6 }), fc.nat({ max: 2 }), (all, which) => {
        const subagents = disk.subagents.map((subagent, index) =>
          index === which
            ? { ...subagent, transcript: damage(subagent.transcript, all), meta: '{"cut' }
            : subagent,
        )
        const main = which === 2 ? damage(disk.main, all) : disk.main
        expect(replay({ main, subagents }).reducerIssues.map(({ code }) => code)).not.toContain(
          'unknown-event',
        )
      }),
      { numRuns: 60 },
    )
  })
})

function damaged(lines: readonly string[], all: readonly (readonly [string, number])[]): readonly string[] {
  return all.reduce<readonly string[]>(
    (before, [name, place]) => mutations[name]?.(before, place) ?? before,
    lines,
  )
}

/** Reads the rest of an input. Returns undefined if no line of it is known. */
function stateOf(lines: readonly string[]): SessionConversationState | undefined {
  try {
    const { state, reducerIssues } = replay(lines.join('\n'))
    expect(reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
    return state
  } catch (error) {
    expect(error).toBeInstanceOf(TranscriptError)
    return undefined
  }
}

function finalContents(state: SessionConversationState | undefined): unknown {
  const contentOf = ({ type, id, status, ...block }: ConversationBlock) => ({
    type,
    id,
    status,
    content: 'content' in block ? block.content : undefined,
    output: 'output' in block ? block.output : undefined,
  })
  return state && threadsOf(state).map(({ blocks }) => blocks.map(contentOf))
}
