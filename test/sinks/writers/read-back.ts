import type { SessionConversationState } from '../../../src/core/state/session.ts'
import { programOf } from '../../../src/programs/all.ts'
import { combineFiles } from '../../../src/reading/input/transcript-files.ts'
import type { WrittenSession } from '../../../src/sinks/writers/write-session.ts'
import { formatOf } from '../../../src/wires/all.ts'
import { parseTranscript } from '../../../src/wires/transcript.ts'

/** Reads a written session with the reader of its program. */
export function readBack(
  program: string,
  { files }: Pick<WrittenSession, 'files'>,
): SessionConversationState {
  const architecture = programOf(program)?.wire ?? 'claude-sdk'
  const { transcripts } = formatOf(architecture).files
  return parseTranscript(architecture, combineFiles(files, transcripts))
}
