import { TranscriptError } from '../reading/input/combined.ts'
import type { Format } from './format.ts'

/** Returns the format of a protocol: messages of any program. Nothing stores them, so the format has no files of its own. */
export function protocolFormat<Name extends string>(
  facts: Pick<Format<Name>, 'name' | 'inputs' | 'isMessage'>,
): Format<Name> {
  return {
    ...facts,
    isDocument: () => false,
    transcripts: {},
    files: {
      isSession: () => false,
      isPart: () => false,
      agentFiles: () => undefined,
      transcripts: noSession,
    },
    storage: { facts: () => ({}) },
  }
}

function noSession(): never {
  throw new TranscriptError('no-session', 'no session: nothing stores sessions of this protocol')
}
