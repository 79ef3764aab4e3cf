import { join, resolve } from 'node:path'
import { LocalLog, type LocalLogOptions } from '../../server/log/local-log.ts'
import type { SessionLog } from '../../server/log/session-log.ts'
import { makeFolder } from './disk.ts'
import { FileSession } from './file-session.ts'
import { FolderLock } from './folder-lock.ts'
import { folderName, sessionIdsIn } from './session-folder.ts'

/**
 * Returns a log that keeps its sessions in a folder, for one process or thread at a time (`in-use`). An append
 * returns after the disk has it. A line that was cut by a crash is dropped, with the whole append that it belongs to.
 */
export function createFileLog(folder: string, options: LocalLogOptions = {}): SessionLog {
  const path = resolve(folder)
  let taken: Promise<FolderLock> | undefined
  const take = async (): Promise<FolderLock> => {
    taken ??= takeFolder(path)
    try {
      return await taken
    } catch (error) {
      taken = undefined
      throw error
    }
  }
  const open = async (sessionId: string): Promise<FileSession> =>
    FileSession.open(join(path, folderName(sessionId)), await take(), sessionId)
  const sessions = async function* () {
    await take()
    yield* sessionIdsIn(path)
  }
  const close = async (): Promise<void> => {
    const lock = await taken?.catch(() => undefined)
    await lock?.release()
  }
  return new LocalLog({ open, sessions, close }, options)
}

async function takeFolder(path: string): Promise<FolderLock> {
  await makeFolder(path)
  return FolderLock.take(path)
}
