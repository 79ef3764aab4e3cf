import { TranscriptError } from '../../reading/input/combined.ts'
import type { Format } from '../format.ts'
import { isAgUiEvent } from './event.ts'

/** Returns the format of a protocol: messages of any program. Nothing stores them, so the format has no files of its own. */
function protocolFormat<Name extends string>(
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

/** AG-UI: the events of any server. */
export const agUiFormat: Format<'ag-ui'> = /* @__PURE__ */ protocolFormat({
  name: 'ag-ui',
  inputs: 'AG-UI (the events of any server, one per line or as it sends them)',
  isMessage: isAgUiEvent,
})
