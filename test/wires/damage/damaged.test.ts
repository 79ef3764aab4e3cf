import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { type CombinedTranscript, TranscriptError } from '../../../src/reading/input/combined.ts'
import type { Session } from '../../../src/reading/source.ts'
import { depth } from '../../depth.ts'
import { threadsOf } from '../recordings.ts'
import { CLAUDE } from './claude.ts'
import { OPENCODE } from './opencode.ts'
import { at, damaged, insert, type Program } from './program.ts'

/** The part of all runs that each law takes. */
const SHARE = depth({ few: 0.05, all: 1 })

describe('the source of Claude Code', () => itReadsDamagedInput(CLAUDE))
describe('the source of OpenCode', () => itReadsDamagedInput(OPENCODE))

function itReadsDamagedInput(program: Program): void {
  const runs = (count: number) => ({ numRuns: Math.ceil(count * SHARE) })
  const { source, replay, names, live } = program
  const anyName = fc.constantFrom(...names)
  const mutation = fc.tuple(fc.constantFrom(...Object.keys(program.mutations)), fc.nat())
  const linesOf = (name: string) => live(name).trimEnd().split('\n')
  const stateOf = (lines: readonly string[]) => readDamaged(program, lines.join('\n'))

  it('reads a live session as far as possible, whatever the damage', () => {
    const damages = fc.array(mutation, { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(anyName, damages, (name, all) => {
        expect(stateOf(damaged(program, linesOf(name), all))).toBeDefined()
      }),
      runs(250),
    )
  })

  it('reads a live session as far as possible, wherever it is cut', () => {
    fc.assert(
      fc.property(anyName, fc.nat(), (name, place) => {
        const whole = live(name)
        const cut = whole.slice(0, place % whole.length)
        fc.pre(cut.includes('\n'))
        const codes = replay(cut).issues.map(({ code }) => code)
        const endsWithLine = cut.endsWith('\n') || whole.startsWith(`${cut}\n`)
        expect(codes.filter((code) => code === 'malformed-line')).toHaveLength(endsWithLine ? 0 : 1)
        expect(codes.filter((code) => code.startsWith('un') && code !== 'unfinished-subagent')).toEqual([])
      }),
      runs(100),
    )
  })

  it('gives the same state if some lines arrive twice', () => {
    fc.assert(
      fc.property(anyName, fc.array(fc.nat(), { maxLength: 10 }), (name, places) => {
        const lines = linesOf(name)
        const repeated = new Set(places.map((place) => at(lines, place)))
        const twice = lines.flatMap((line, index) => (repeated.has(index) ? [line, line] : [line]))
        expect(stateOf(twice)).toEqual(stateOf(lines))
      }),
      runs(150),
    )
  })

  it('gives the same state with unknown lines between the known ones', () => {
    const places = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 10 })
    fc.assert(
      fc.property(anyName, places, (name, all) => {
        const unknown = program.unknownLines(name)
        const lines = all.reduce<readonly string[]>(
          (before, [which, place]) => insert(unknown[at(unknown, which)] ?? '')(before, place),
          linesOf(name),
        )
        expect(stateOf(lines)).toEqual(stateOf(linesOf(name)))
      }),
      runs(100),
    )
  })

  it('gives the same state if every line has new fields', () => {
    const added = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null && program.fieldOfEach in value
        ? { ...value, tea: { strength: [3] } }
        : value
    for (const name of names) {
      const lines = linesOf(name).map((line) => JSON.stringify(JSON.parse(line), added))
      expect(lines.join()).toContain('strength')
      expect(stateOf(lines)).toEqual(stateOf(linesOf(name)))
    }
  })

  it('reads stored files as far as possible', () => {
    fc.assert(
      fc.property(program.files, (raw) => {
        expect(readDamaged(program, raw)).toBeDefined()
      }),
      runs(60),
    )
  })

  it('takes any JSON value, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 10 }), (messages) => {
        const session = messages.reduce<Session>(
          (before, message) => source.read(before, [message]).session,
          source.open(),
        )
        expect(source.end(session).ending).toBe('open')
      }),
      runs(50),
    )
  })
}

/** Reads a damaged input. A refusal is a valid result too. */
function readDamaged(
  { replay }: Program,
  raw: string | CombinedTranscript,
): SessionConversationState | 'not a transcript' {
  try {
    const { state, reducerIssues } = replay(raw)
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
    const ids = blocks.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  for (const { toolUseId } of state.subagents) expect(toolUseId).not.toBe('main')
}
