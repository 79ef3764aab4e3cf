import { createHash } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { asString, isObject, parseJson } from '../../core/json/values.ts'
import { isLogError, LogError } from '../../server/log/log-error.ts'
import { syncFolder, textIn, unlessMissing, writeSynced } from './disk.ts'
import { isHeld, ownLock } from './folder-lock.ts'

/** The file with the id of the folder's session. */
const SESSION = 'session.json'

/** The end of the name of a folder whose session was deleted. */
const REMOVED = '.removed'

/**
 * Returns the name of a session's folder: a readable part, and a hash that makes it unique. So no id leaves the log's
 * folder, and two ids that differ in capitals alone have two folders on every file system. JSON keeps halves of
 * characters apart, and UTF-8 does not.
 */
export function folderName(sessionId: string): string {
  const readable = sessionId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${readable}-${createHash('sha256').update(JSON.stringify(sessionId)).digest('hex').slice(0, 24)}`
}

export function writeSessionId(folder: string, id: string): Promise<void> {
  return writeAtomically(join(folder, SESSION), JSON.stringify({ id }))
}

/**
 * Returns the id of the folder's session, or undefined if an earlier version of this library made the folder. Throws
 * a `LogError` (`broken`) for another file.
 */
export async function sessionIdIn(folder: string): Promise<string | undefined> {
  const path = join(folder, SESSION)
  const text = await textIn(path)
  if (text === undefined) return undefined
  const value = parseJson(text)
  const id = isObject(value) ? asString(value.id) : undefined
  if (id === undefined) throw new LogError('broken', `the file is damaged: ${path}`)
  return id
}

/** Returns the ids of the sessions whose folders are in the log's folder. A damaged id names no session, and hides no other one. */
export async function* sessionIdsIn(path: string): AsyncGenerator<string, void> {
  for (const entry of (await unlessMissing(readdir(path, { withFileTypes: true }))) ?? []) {
    if (!entry.isDirectory() || entry.name.endsWith(REMOVED)) continue
    const id = await sessionIdIn(join(path, entry.name)).catch((error: unknown) => {
      if (!isLogError(error, ['broken'])) throw error
    })
    if (id !== undefined) yield id
  }
}

/** Removes a session's folder. It gets another name first, so that a crash leaves the whole session or nothing of it. */
export async function removeFolder(folder: string): Promise<void> {
  const removed = `${folder}${REMOVED}`
  await rm(removed, { recursive: true, force: true })
  await unlessMissing(rename(folder, removed))
  await unlessMissing(syncFolder(dirname(folder)))
  await rm(removed, { recursive: true, force: true })
}

/** The name of a file that is not complete: the name of the complete one, and its writer as in a lock. */
const INCOMPLETE = /^[^.]+\.[^.]+\.(.+)\.new$/

/** Returns a new name for the file until it is complete. */
export function incompletePath(path: string): string {
  return `${path}.${Buffer.from(ownLock()).toString('base64url')}.new`
}

/**
 * Whether the file is not complete, and its writer is gone: a file of a living writer, who may have lost the folder,
 * gets its name soon.
 */
export async function isAbandoned(path: string): Promise<boolean> {
  const [, writer] = INCOMPLETE.exec(basename(path)) ?? []
  return writer !== undefined && !(await isHeld(Buffer.from(writer, 'base64url').toString(), path))
}

/** Writes a file under another name and renames it, so that a reader finds the old file or the new one, and never a part. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const incomplete = incompletePath(path)
  try {
    await writeSynced(incomplete, [text])
    await rename(incomplete, path)
  } catch (error) {
    await rm(incomplete, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}
