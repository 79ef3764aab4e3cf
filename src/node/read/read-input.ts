import type { Architecture } from '../../programs/program.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { type InputReading, type ReadingObserver, SessionFold } from './session-fold.ts'
import type { SessionEntries } from './text-entries.ts'

/** Reads a session to its end. If no format recognizes it, any reader will do: it reports that the input is not a transcript. Throws a `TranscriptError`. */
export async function readInput(
  { architecture = DEFAULT_ARCHITECTURE, portions }: SessionEntries,
  given: Architecture | undefined,
  observer: ReadingObserver,
): Promise<InputReading> {
  const run = new SessionFold(formatOf(architecture).source, observer)
  for await (const portion of portions) run.addEntries(portion)
  return run.end(given)
}
