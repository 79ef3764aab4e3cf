import { onlySession } from '../../reading/input/combined.ts'
import type { Format } from '../format.ts'
import { isRow, timeOfRow } from './read.ts'
import { hermesDatabase } from './rows.ts'

/** Hermes Agent: its database, or the rows of it as lines. */
export const hermesFormat: Format<'hermes'> = {
  name: 'hermes',
  inputs: 'Hermes Agent (a session in state.db, or the rows of one as lines)',
  isDocument: () => false,
  isMessage: isRow,
  transcripts: { agentField: 'agentId', timeOf: timeOfRow },
  files: {
    isSession: () => false,
    isPart: () => false,
    agentFiles: () => undefined,
    transcripts: (paths, _reader, sessionPath) => [{ path: sessionPath ?? onlySession(paths, 'a state.db') }],
  },
  storage: { facts: () => ({}), database: hermesDatabase },
}
