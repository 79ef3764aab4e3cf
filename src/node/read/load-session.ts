import { readFile } from 'node:fs/promises'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../session/input/entries.ts'
import { formatOf } from '../../wires/all.ts'
import { detectArchitecture } from '../../wires/detect.ts'
import { decodeText } from '../files/decode-text.ts'
import { wrapReadError } from '../files/read-error.ts'
import { combineSession } from './combine-session.ts'

/** The entries of a whole session. */
export interface LoadedSession {
  readonly architecture: Architecture
  readonly entries: Iterable<Entry>
  /** The files and folders that decide the entries. */
  readonly sources: readonly string[]
}

/** Reads all entries of a session. Returns undefined if no format recognizes the content. */
export async function loadSession(path: string): Promise<LoadedSession | undefined> {
  const combined = await combineSession(path)
  if ('transcript' in combined) {
    const { architecture, transcript, sources } = combined
    return { architecture, entries: formatOf(architecture).entries(transcript), sources }
  }
  const { file } = combined
  const text = await wrapReadError(readFile(file).then(decodeText), file)
  const architecture = detectArchitecture(text)
  return architecture && { architecture, entries: formatOf(architecture).entries(text), sources: [file] }
}
