import { allPrograms } from '../programs/all.ts'
import type { Architecture } from '../programs/program.ts'
import { TranscriptError } from '../reading/input/combined.ts'
import type { EntryReader } from '../reading/reader.ts'

/** The wire that the caller chose, and the one that the content shows. */
interface Wires {
  readonly given: Architecture | undefined
  readonly detected: Architecture | undefined
}

/** Throws a `TranscriptError` if the reader has read the entries of another wire, or of a program that no wire knows. */
export function refuseForeign(reader: EntryReader, { given, detected }: Wires): void {
  const { all, known } = reader.counts
  if (all === 0) return
  if (given !== undefined && detected !== undefined && given !== detected)
    throw notATranscript(`its lines are those of ${detected}, and not of ${given}`)
  const isUnproved = given === undefined && detected === undefined
  const showsProgram = reader.session.state.session.program !== undefined
  if (known > 0 && !(isUnproved && showsProgram)) return
  if (given !== undefined) throw notATranscript(`${given} knows none of its lines (${all} in all)`)
  throw notATranscript(
    `no known program wrote it (${all} ${all === 1 ? 'line' : 'lines'} read). The known ones are ${programs()}`,
  )
}

function notATranscript(reason: string): TranscriptError {
  return new TranscriptError('not-a-transcript', `not a transcript: ${reason}`)
}

function programs(): string {
  return allPrograms()
    .map(({ names }) => names[0])
    .join(', ')
}
