import { TranscriptError } from '../combined.ts'
import { unwrapCombined } from '../entries.ts'
import type { Format } from '../format.ts'
import { entriesOfText, timeOf } from '../timed-entries.ts'
import { agUiProgram } from './program.ts'
import { isAgUiEvent } from './reading/translate.ts'
import { agUiSource } from './source.ts'

/** AG-UI: the events of any server. Nothing stores them, so the format has no files of its own. */
export const agUiFormat: Format<'ag-ui'> = {
  program: agUiProgram,
  inputs: 'AG-UI (the events of any server, one per line or as it sends them)',
  isDocument: () => false,
  isMessage: isAgUiEvent,
  entries(raw) {
    const input = unwrapCombined(raw)
    return entriesOfText(typeof input === 'string' ? input : input.main)
  },
  source: agUiSource,
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

function noSession(): never {
  throw new TranscriptError('no-session', 'no session: nothing stores sessions of this protocol')
}
