import { TranscriptError } from '../session/input/combined.ts'
import { unwrapCombined } from '../session/input/entries.ts'
import { entriesOfText, timeOf } from '../session/input/timed-entries.ts'
import type { Format } from './format.ts'

/** Returns the format of a protocol: messages of any program. Nothing stores them, so the format has no files of its own. */
export function protocolFormat<Name extends string>(
  facts: Pick<Format<Name>, 'name' | 'inputs' | 'isMessage' | 'source'>,
): Format<Name> {
  return {
    ...facts,
    isDocument: () => false,
    entries(raw) {
      const input = unwrapCombined(raw)
      return entriesOfText(typeof input === 'string' ? input : input.main)
    },
    files: {
      isSession: () => false,
      isPart: () => false,
      agentFiles: () => undefined,
      select: noSession,
      combine: noSession,
      part: () => ({ isFacts: false, complete: (entry) => entry }),
      timeOf,
    },
    storage: { folders: () => [], facts: () => ({}) },
  }
}

function noSession(): never {
  throw new TranscriptError('no-session', 'no session: nothing stores sessions of this protocol')
}
