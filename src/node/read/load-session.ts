import { readFile, stat } from 'node:fs/promises'
import { type Architecture, formatOf } from '../../formats/all.ts'
import { detectArchitecture } from '../../formats/detect.ts'
import type { Entry } from '../../formats/entries.ts'
import { readFiles } from '../files/file-reader.ts'
import { wrapReadError } from '../files/read-error.ts'
import { findSession } from './open-input.ts'
import { readStoredSession } from './stored-session.ts'

/** The entries of a whole session. */
export interface LoadedSession {
  readonly architecture: Architecture
  readonly entries: Iterable<Entry>
  /** The files and folders that decide the entries. */
  readonly sources: readonly string[]
}

/** Reads all entries of a session. Returns undefined if no format recognizes the content. */
export async function loadSession(path: string): Promise<LoadedSession | undefined> {
  const stored = await readStoredSession(path)
  if (stored) {
    const { architecture, transcript, sources } = stored
    return { architecture, entries: formatOf(architecture).entries(transcript), sources }
  }
  const { paths, format } = await findSession(path)
  if (format) {
    const entries = format.entries(format.files.combine(await readFiles(paths)))
    return { architecture: format.program.name, entries, sources: await withFolder(path, paths) }
  }
  const text = await wrapReadError(readFile(path, 'utf8'), path)
  const architecture = detectArchitecture(text)
  return architecture && { architecture, entries: formatOf(architecture).entries(text), sources: [path] }
}

/** A folder decides the entries too: a new file in it changes its time. */
async function withFolder(path: string, paths: readonly string[]): Promise<readonly string[]> {
  return (await wrapReadError(stat(path))).isDirectory() ? [path, ...paths] : paths
}
