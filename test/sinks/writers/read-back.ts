import { programOf } from '../../../src/programs/all.ts'
import { combineFiles } from '../../../src/session/input/transcript-files.ts'
import type { WrittenSession } from '../../../src/sinks/writers/write-session.ts'
import type { SessionConversationState } from '../../../src/state/session.ts'
import { parseTranscript } from '../../../src/transcript.ts'
import { formatOf } from '../../../src/wires/all.ts'

/** Reads a written session with the reader of its program. */
export function readBack(
  program: string,
  { files }: Pick<WrittenSession, 'files'>,
): SessionConversationState {
  const architecture = programOf(program)?.wire ?? 'claude-sdk'
  const { transcripts } = formatOf(architecture).files
  return parseTranscript(architecture, combineFiles(files, transcripts))
}
