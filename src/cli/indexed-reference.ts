import type { SessionSummary } from '../node/list/session-summary.ts'
import type { SessionIndex } from '../node/session-index/session-questions.ts'
import type { PathReading } from './read-path.ts'
import { InputError } from './terminal/terminal.ts'

/** The session that a person named. */
export interface SessionReference {
  /** A file, a folder, or `-` for standard input. */
  readonly path: string
  /** The name that the program or the person gave the session, if the session was named by its id. */
  readonly title?: string
  /** The time of the last change of a session of an index. */
  readonly updatedAt?: string | undefined
  /** Reads a session that is in no file of this machine. */
  readonly read?: () => Promise<PathReading>
}

/** Returns the reference of a session of an index. */
export function indexedReference(row: SessionSummary, index: SessionIndex): SessionReference {
  const read = async (): Promise<PathReading> => {
    const state = await index.read(row)
    if (!state) throw new InputError(`${row.id}: its machine could not read it`)
    const { status, openBlocks } = state.turn
    const ending = status === 'finished' ? status : 'interrupted'
    return { state, issues: [], ending, isCut: openBlocks !== undefined }
  }
  // A title that is not known is not looked for in files.
  return { path: row.path, title: row.title ?? '', updatedAt: row.updatedAt, read }
}
