import { rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { syncFolder, writeSynced } from './disk.ts'
import { isHeld, ownLock } from './folder-lock.ts'

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
