import { stat } from 'node:fs/promises'
import { type Architecture, allFormats } from '../../formats/all.ts'
import { severalSessions, TranscriptError } from '../../formats/combined.ts'
import type { Format, SessionDatabase, StoredSession } from '../../formats/format.ts'
import { withDatabase } from '../files/database.ts'
import { folderReader } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'

/** A session of several files, or of a program's own storage. */
export interface StoredInput extends StoredSession {
  readonly architecture: Architecture
}

/** Separates the path of a database from the id of a session. */
const SEPARATOR = '#'

/** Returns the path of a session in a database: `<path>#<id>`. */
export function databasePath(path: string, sessionId: string): string {
  return `${path}${SEPARATOR}${sessionId}`
}

/** Whether the path leads to a session in a program's own storage. */
export function isStoredSession(path: string): boolean {
  return placeInDatabase(path) !== undefined || combineStored(path) !== undefined
}

/** Reads a session from a database, or from a folder with a file per message. Undefined for the path of another file. */
export async function readStoredSession(
  path: string,
  onUnreadable?: OnUnreadable,
): Promise<StoredInput | undefined> {
  const place = placeInDatabase(path)
  if (!place) return combineStored(path, onUnreadable)
  await wrapReadError(stat(place.path))
  const { database, architecture, sessionId } = place
  const transcript = withDatabase(place.path, (query) => {
    if (sessionId === undefined)
      throw severalSessions(database.sessions(query).map(({ id }) => databasePath(place.path, id)))
    return database.combine(sessionId, query)
  })
  if (!transcript) throw new TranscriptError('no-session', `no session ${sessionId} in the database`)
  // The program writes new rows to the log beside the database first.
  return { architecture, transcript, sources: [place.path, `${place.path}-wal`] }
}

interface DatabasePlace {
  readonly architecture: Architecture
  readonly database: SessionDatabase
  readonly path: string
  readonly sessionId?: string
}

function placeInDatabase(path: string): DatabasePlace | undefined {
  const at = path.lastIndexOf(SEPARATOR)
  for (const { program, storage } of allFormats()) {
    const { database } = storage
    if (!database) continue
    const place = { architecture: program.name, database }
    if (database.isDatabase(path)) return { ...place, path }
    if (at >= 0 && database.isDatabase(path.slice(0, at)))
      return { ...place, path: path.slice(0, at), sessionId: path.slice(at + SEPARATOR.length) }
  }
  return undefined
}

function combineStored(path: string, onUnreadable?: OnUnreadable): StoredInput | undefined {
  const reader = folderReader(onUnreadable)
  for (const { program, storage, files } of allFormats() satisfies readonly Format<Architecture>[]) {
    const stored = files.isSession(path) ? storage.combineStored?.(path, reader) : undefined
    if (stored) return { architecture: program.name, ...stored }
  }
  return undefined
}
