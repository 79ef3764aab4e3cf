import { TranscriptError } from '../combined.ts'
import { unwrapCombined } from '../entries.ts'
import type { Format } from '../format.ts'
import { entriesOfText, timeOf } from '../timed-entries.ts'
import { acpProgram } from './program.ts'
import { isAcpMessage } from './rpc/read-message.ts'
import { acpSource } from './source.ts'

/** The Agent Client Protocol: a log of a connection, or its updates. Nothing stores it, so it has no files of its own. */
export const acpFormat: Format<'acp'> = {
  program: acpProgram,
  inputs: 'ACP (a log of a connection, or the updates of any agent that speaks the Agent Client Protocol)',
  isDocument: () => false,
  isMessage: isAcpMessage,
  entries(raw) {
    const input = unwrapCombined(raw)
    return entriesOfText(typeof input === 'string' ? input : input.main)
  },
  source: acpSource,
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
