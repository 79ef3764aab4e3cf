import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import type { Architecture } from '../../programs/program.ts'
import { programOfDatabase } from '../../programs/storages.ts'
import { severalSessions, TranscriptError } from '../../reading/input/combined.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import type { SourceIssue } from '../../reading/source.ts'
import { allFormats, formatOf } from '../../wires/all.ts'
import type { Format, StoredRow, StoredSession } from '../../wires/format.ts'
import { placeInDatabase, withDatabase } from '../files/database.ts'
import { databasePath } from '../files/database-path.ts'
import { createFileReader, fileReader } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'

/** A session of several files, or of a program's own storage. */
interface StoredInput extends StoredSession {
  readonly architecture: Architecture
}

/** Whether the path leads to a session in a program's own storage. */
export function isStoredSession(path: string, reader?: FileReader): boolean {
  return placeInDatabase(path) !== undefined || readStored(path, { reader }) !== undefined
}

/** Reads a session from a database, or from a folder with a file per message. Undefined for the path of another file. */
export async function readStoredSession(
  path: string,
  options: StoredOptions = {},
): Promise<StoredInput | undefined> {
  const place = placeInDatabase(path) ?? databaseIn(path)
  if (!place) return readStored(path, options)
  await wrapReadError(stat(place.path))
  const { database, architecture, program, sessionId } = place
  const transcripts = withDatabase(place.path, (query) => {
    const id = sessionId ?? onlySession(place.path, database.sessions(query))
    return database.read(id, query, program)
  })
  if (!transcripts) throw new TranscriptError('no-session', `no session ${sessionId} in the database`)
  // The program writes new rows to the log beside the database first.
  return { architecture, transcripts, sources: [place.path, `${place.path}-wal`] }
}

/** Returns the place of a program's database in a folder. */
function databaseIn(folder: string) {
  const names = fileReader.names(folder).filter((each) => programOfDatabase(each) !== undefined)
  // A database of another channel has its name behind a hyphen.
  const name = names.find((each) => !each.includes('-')) ?? names[0]
  return name === undefined ? undefined : placeInDatabase(join(folder, name))
}

/** Returns the id of the one session that is no subagent's. */
function onlySession(path: string, rows: readonly StoredRow[]): string {
  const [only, ...others] = rows.filter(({ isSubagent }) => !isSubagent).map(({ id }) => id)
  if (only === undefined) throw new TranscriptError('no-session', 'no session in the database')
  if (others.length > 0) throw severalSessions([only, ...others].map((id) => databasePath(path, id)))
  return only
}

interface StoredOptions {
  readonly onUnreadable?: OnUnreadable | undefined
  /** The reader of a pass over many sessions. */
  readonly reader?: Pick<FileReader, 'pass'> | undefined
}

/** It looks at the files anew: the listing that a pass keeps of a folder may be older than the stamp of an index. */
function readStored(path: string, { onUnreadable, reader: ofPass }: StoredOptions): StoredInput | undefined {
  const reader = { ...createFileReader(onUnreadable), pass: ofPass?.pass }
  for (const { name, storage } of allFormats() satisfies readonly Format<Architecture>[]) {
    const stored = storage.readStored?.(path, reader)
    if (stored) return { architecture: name, ...stored }
  }
  return undefined
}

/** Whether the file is a session's own, of a program that writes a file for each agent. */
export function hasAgentFiles(path: string, architecture: Architecture): boolean {
  const { files } = formatOf(architecture)
  return files.isSession(path) && files.agentFiles(path, fileReader) !== undefined
}

/** Returns an issue for each agent that has run, and of which the session has no message. */
export function missingTranscripts({ subagents }: SessionConversationState): readonly SourceIssue[] {
  return subagents
    .filter(lacksMessages)
    .map(({ toolUseId }) => ({ code: 'missing-agent-transcript', count: 1, toolUseId }))
}

/**
 * The call states the prompt, and the result states the output. An agent without an id may never have begun. One that
 * failed may have nothing but its prompt in its file.
 */
function lacksMessages({ blocks, agentId, status }: SubagentState): boolean {
  if (blocks.length === 0) return status === 'success' || agentId !== undefined
  return status === 'success' && blocks.every(({ type }) => type === 'user_message')
}
