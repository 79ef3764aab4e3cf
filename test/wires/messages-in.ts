import type { Architecture } from '../../src/entries/index.ts'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import { entriesIn } from '../../src/reading/input/transcripts.ts'
import { formatOf } from '../../src/wires/all.ts'

/** Returns the messages of an input, without its broken lines. */
export function messagesOf(architecture: Architecture, raw: string | CombinedTranscript): readonly unknown[] {
  const entries = entriesIn(raw, formatOf(architecture).transcripts)
  return [...entries].flatMap((entry) => ('message' in entry ? [entry.message] : []))
}
