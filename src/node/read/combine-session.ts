import { stat } from 'node:fs/promises'
import type { Architecture } from '../../programs/program.ts'
import { readFiles } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { wrapReadError } from '../files/read-error.ts'
import { findSession } from './find-session.ts'
import { readStoredSession, type StoredInput } from './stored-session.ts'

/** One file with any content: its path may be that of its folder. */
interface OneFile {
  readonly file: string
}

/** Reads and combines the files of a session. A path may also lead to one file with any content, which is not read here. */
export async function combineSession(
  path: string,
  architecture?: Architecture,
  onUnreadable?: OnUnreadable,
): Promise<StoredInput | OneFile> {
  const stored = await readStoredSession(path, onUnreadable)
  if (stored) return stored
  const { paths, format } = await findSession(path, architecture, onUnreadable)
  if (!format) return { file: paths[0] ?? path }
  const transcript = format.files.combine(await readFiles(paths))
  return { architecture: format.name, transcript, sources: await withFolder(path, paths) }
}

/** A folder decides the content of a session too: a new file in it changes its time. */
async function withFolder(path: string, paths: readonly string[]): Promise<readonly string[]> {
  return (await wrapReadError(stat(path))).isDirectory() ? [path, ...paths] : paths
}
