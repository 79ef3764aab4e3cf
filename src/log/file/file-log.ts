import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { LocalLog, type LocalLogOptions } from '../local-log.ts'
import type { SessionLog } from '../session-log.ts'
import { makeFolder } from './disk.ts'
import { FileSession } from './file-session.ts'
import { FolderLock } from './folder-lock.ts'

/**
 * Returns a log that keeps its sessions in a folder, for one process or thread at a time (`in-use`). An append returns after the disk has it. A line that
 * was cut by a crash is dropped, with the whole append that it belongs to.
 */
export function createFileLog(folder: string, options: LocalLogOptions = {}): SessionLog {
  const path = resolve(folder)
  let taken: Promise<FolderLock> | undefined
  const open = async (sessionId: string): Promise<FileSession> => {
    taken ??= takeFolder(path)
    try {
      await taken
    } catch (error) {
      taken = undefined
      throw error
    }
    return FileSession.open(join(path, folderName(sessionId)), await taken)
  }
  const close = async (): Promise<void> => {
    const lock = await taken?.catch(() => undefined)
    await lock?.release()
  }
  return new LocalLog({ open, close }, options)
}

async function takeFolder(path: string): Promise<FolderLock> {
  await makeFolder(path)
  return FolderLock.take(path)
}

/**
 * Returns the name of a session's folder: a readable part, and a hash that makes it unique. So no id leaves the log's folder, and two ids
 * that differ in capitals alone have two folders on every file system. JSON keeps halves of characters apart, and UTF-8 does not.
 */
function folderName(sessionId: string): string {
  const readable = sessionId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${readable}-${createHash('sha256').update(JSON.stringify(sessionId)).digest('hex').slice(0, 24)}`
}
