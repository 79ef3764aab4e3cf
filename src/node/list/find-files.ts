import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { Format } from '../../wires/format.ts'
import { listFiles, type OnUnreadable, reportUnreadable } from '../files/list-files.ts'
import { irregularFile } from '../files/read-error.ts'

/** A file that may hold a session. */
export interface SessionFile {
  readonly path: string
  readonly formats: readonly Format<Architecture>[]
  /** In ms since the epoch. */
  readonly changedAt: number
  readonly stats: Stats
}

/** The report of a search for files. */
interface FindReports {
  readonly onUnreadable: OnUnreadable
  /** Gets each folder before its names are read. */
  readonly onFolder?: ((path: string) => void) | undefined
}

/** Returns the paths of the files at that depth in a folder. A link to a file or folder counts as one. A missing folder has none. */
export async function filesAtDepth(
  folder: string,
  depth: number,
  reports: FindReports,
): Promise<readonly string[]> {
  const paths: string[] = []
  reports.onFolder?.(folder)
  for (const name of await namesIn(folder, reports.onUnreadable)) {
    const path = join(folder, name)
    if (depth === 0) paths.push(path)
    else for (const each of await filesAtDepth(path, depth - 1, reports)) paths.push(each)
  }
  return paths
}

async function namesIn(folder: string, onUnreadable: OnUnreadable): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    await reportUnreadable(folder, error, onUnreadable)
    return []
  }
}

/** Returns the paths of the wanted files in a folder, at any depth. */
export async function filesBelow(
  folder: string,
  isWanted: (path: string) => boolean,
  onUnreadable: OnUnreadable,
): Promise<readonly string[]> {
  try {
    return await listFiles(folder, isWanted, { onUnreadable })
  } catch (error) {
    onUnreadable(folder, error)
    return []
  }
}

/** Returns the files newest first. Several paths that lead to one file are one file. */
export async function newestFiles(
  files: readonly FoundFile[],
  onUnreadable: OnUnreadable,
): Promise<readonly SessionFile[]> {
  const byRealPath = new Map<string, SessionFile>()
  const folders = new Map<string, string>()
  for (const file of files) {
    const found = await resolveFile(file, folders, onUnreadable)
    if (found && !byRealPath.has(found.realPath)) byRealPath.set(found.realPath, found.file)
  }
  return [...byRealPath.values()].sort((left, right) => right.changedAt - left.changedAt)
}

/** A file whose name is that of a session. */
type FoundFile = Pick<SessionFile, 'path' | 'formats'>

/**
 * Returns the file with its real path and its time. Undefined if it is gone, or is a folder. The calls are
 * synchronous: for thousands of files, they take a tenth of the time. `folders` keeps the real paths of folders.
 */
async function resolveFile(
  file: FoundFile,
  folders: Map<string, string>,
  onUnreadable: OnUnreadable,
): Promise<{ readonly realPath: string; readonly file: SessionFile } | undefined> {
  const { path } = file
  try {
    let stats = lstatSync(path)
    const isLink = stats.isSymbolicLink()
    if (isLink) stats = statSync(path)
    if (stats.isFile()) {
      const folder = dirname(path)
      const realFolder = folders.get(folder) ?? realpathSync.native(folder)
      folders.set(folder, realFolder)
      const realPath = isLink ? realpathSync.native(path) : join(realFolder, basename(path))
      return { realPath, file: { ...file, changedAt: stats.mtimeMs, stats } }
    }
    if (!stats.isDirectory()) onUnreadable(path, irregularFile(path))
  } catch (error) {
    await reportUnreadable(path, error, onUnreadable)
  }
  return undefined
}
