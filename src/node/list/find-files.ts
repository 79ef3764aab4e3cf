import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Architecture } from '../../programs/program.ts'
import type { Format } from '../../wires/format.ts'
import { listFiles, type OnUnreadable, reportUnreadable } from '../files/list-files.ts'
import { irregularFile } from '../files/read-error.ts'
import { inGroups } from './in-groups.ts'

/** A file that may hold a session. */
export interface SessionFile {
  readonly path: string
  readonly formats: readonly Format<Architecture>[]
  /** In ms since the epoch. */
  readonly changedAt: number
}

/** Returns the paths of the files at that depth in a folder. A link to a file or folder counts as one. A missing folder has none. */
export async function filesAtDepth(
  folder: string,
  depth: number,
  onUnreadable: OnUnreadable,
): Promise<readonly string[]> {
  const paths: string[] = []
  for (const name of await namesIn(folder, onUnreadable)) {
    const path = join(folder, name)
    if (depth === 0) paths.push(path)
    else for (const each of await filesAtDepth(path, depth - 1, onUnreadable)) paths.push(each)
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
  files: readonly Omit<SessionFile, 'changedAt'>[],
  onUnreadable: OnUnreadable,
): Promise<readonly SessionFile[]> {
  const byRealPath = new Map<string, SessionFile>()
  for (const found of await inGroups(files, (file) => resolveFile(file, onUnreadable)))
    if (found && !byRealPath.has(found.realPath)) byRealPath.set(found.realPath, found.file)
  return [...byRealPath.values()].sort((left, right) => right.changedAt - left.changedAt)
}

/** Returns the file with its real path and its time. Undefined if it is gone, or is a folder. */
async function resolveFile(
  file: Omit<SessionFile, 'changedAt'>,
  onUnreadable: OnUnreadable,
): Promise<{ readonly realPath: string; readonly file: SessionFile } | undefined> {
  try {
    const realPath = await realpath(file.path)
    const stats = await stat(realPath)
    if (stats.isFile()) return { realPath, file: { ...file, changedAt: stats.mtimeMs } }
    if (!stats.isDirectory()) onUnreadable(file.path, irregularFile(file.path))
  } catch (error) {
    await reportUnreadable(file.path, error, onUnreadable)
  }
  return undefined
}
