import type { Reading, Source } from '../../src/entries/source-kit.ts'
import { loadSession, saveSession } from '../../src/reading/save-session.ts'
import type { Session } from '../../src/reading/source.ts'

/** Returns the value after a write to and a read from disk or network. */
export const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Returns the session after a save and a load. */
export const reloaded = (source: Source, session: Session): Session =>
  loadSession(source, stored(saveSession(session)))

/** Returns the result of a reading without its session. */
export const outputOf = ({ events, issues }: Reading): Omit<Reading, 'session'> => ({ events, issues })
