import type fc from 'fast-check'
import type { Source } from '../../../src/entries/source-kit.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import type { Replayed } from '../recordings.ts'

/** A chosen mutation: its name and its place. */
export type Damage = readonly [mutation: string, place: number]

/** One program's recordings, and the damage that its lines and files may have. */
export interface Program {
  readonly source: Source
  readonly replay: (raw: string | CombinedTranscript) => Replayed
  /** Recordings' names, so that a counterexample is readable. */
  readonly names: readonly string[]
  /** The text of a live recording. */
  readonly live: (name: string) => string
  readonly mutations: Readonly<Record<string, Mutation>>
  /** Lines of unknown types, which change nothing at any place. */
  readonly unknownLines: (name: string) => readonly string[]
  /** A field that the objects of each line have. A newer release may add others beside it. */
  readonly fieldOfEach: string
  /** Damaged stored files. */
  readonly files: fc.Arbitrary<string | CombinedTranscript>
}

export function damaged(
  { mutations }: Pick<Program, 'mutations'>,
  lines: readonly string[],
  all: readonly Damage[],
): readonly string[] {
  return all.reduce<readonly string[]>(
    (before, [name, place]) => mutations[name]?.(before, place) ?? before,
    lines,
  )
}

/** Damages lines at a place among them. */
export type Mutation = (lines: readonly string[], place: number) => readonly string[]

export const at = (lines: readonly string[], place: number): number => place % Math.max(1, lines.length)

export const insert =
  (line: string): Mutation =>
  (lines, place) =>
    lines.toSpliced(at(lines, place), 0, line)

/** Changes the fields of one line. */
export function change(news: (fields: Record<string, unknown>) => unknown): Mutation {
  return (lines, place) =>
    lines.map((line, index) => {
      if (index !== at(lines, place) || !line.startsWith('{')) return line
      const fields: Record<string, unknown> = JSON.parse(line)
      return JSON.stringify(news(fields))
    })
}

/** Mutations of the lines of any program. */
export const LINE_MUTATIONS: Readonly<Record<string, Mutation>> = {
  drop: (lines, place) => lines.toSpliced(at(lines, place), 1),
  dropMany: (lines, place) => lines.toSpliced(at(lines, place), 5),
  repeat: (lines, place) => lines.toSpliced(at(lines, place), 0, lines[at(lines, place)] ?? ''),
  move: (lines, place) => [...lines.toSpliced(at(lines, place), 1), lines[at(lines, place)] ?? ''],
  first: (lines, place) => [lines[at(lines, place)] ?? '', ...lines.toSpliced(at(lines, place), 1)],
}
