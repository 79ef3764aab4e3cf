import type fc from 'fast-check'
import type { Source } from '../../../src/entries/source-kit.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import type { Replayed } from '../recordings.ts'
import type { Mutation } from './mutation.ts'

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
