import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LogError } from '../../server/log/log-error.ts'
import { linkIfFree, textIn, unlessMissing, writeSynced } from './disk.ts'
import { HEARTBEAT_MS, isHeld, ownLock, RELEASED } from './holder.ts'

/** A file of the lock. Without a text there is none yet. */
interface LockFile {
  readonly path: string
  readonly text: string | undefined
}

/**
 * The right to write a folder. The file `lock` names the holder. After a holder that has released it or was killed, the next one makes a file that
 * is named after the text of that lock. Only one process can make it, and no process removes a lock that it does not hold.
 */
export class FolderLock {
  /** The name of this holder. No other one has it. */
  readonly name: string = randomUUID().slice(0, 8)
  readonly #path: string
  readonly #file: FileHandle
  readonly #timer: NodeJS.Timeout

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
    this.#timer = setInterval(() => void this.#touch(), HEARTBEAT_MS).unref()
  }

  /** Takes the folder. Throws a `LogError` (`in-use`) if somebody else has it. */
  static async take(folder: string): Promise<FolderLock> {
    const path = join(folder, 'lock')
    const text = ownLock()
    const temporary = `${path}.${randomUUID()}`
    await writeSynced(temporary, [text])
    try {
      return new FolderLock(path, await openLock(path, text, temporary))
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** Throws a `LogError` (`in-use`) if somebody else has taken the folder, because this process did not run for some time. */
  async check(): Promise<void> {
    if (!(await this.#isOwn())) throw inUse(this.#path)
  }

  /** Marks the own file. It stays, because the file of that name may be another holder's by now. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
    try {
      await this.#file.write(RELEASED, 0)
    } finally {
      await this.#file.close()
    }
  }

  async #isOwn(): Promise<boolean> {
    const [found, own] = await Promise.all([
      unlessMissing(stat(this.#path, { bigint: true })),
      this.#file.stat({ bigint: true }),
    ])
    return found?.ino === own.ino
  }

  async #touch(): Promise<void> {
    const now = new Date()
    // Without the heartbeat, another process may take the folder, and this one learns it before its next append.
    await this.#file.utimes(now, now).catch(() => {})
  }
}

/** Opens the file first: a lock whose file is not open could not be released. */
async function openLock(path: string, text: string, temporary: string): Promise<FileHandle> {
  const file = await open(temporary, 'r+')
  try {
    while (!(await takePlace(path, text, temporary)));
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Puts the own lock after the last one, and returns whether it is the folder's lock now. Throws a `LogError` if somebody has the last one. */
async function takePlace(path: string, text: string, temporary: string): Promise<boolean> {
  const files = await lockFiles(path)
  const last = files.at(-2)
  const free = files.at(-1)
  if (last?.text !== undefined && (await isHeld(last.text, last.path))) throw inUse(path)
  if (!free || !(await linkIfFree(temporary, free.path))) return false
  const found = await lockFiles(path)
  if (found.at(-2)?.text !== text) {
    // The former holder was replaced while this process looked at its lock.
    await rm(free.path, { force: true })
    return false
  }
  if (free.path !== path) await rename(free.path, path)
  for (const file of files.slice(1, -1)) await rm(file.path, { force: true })
  return true
}

/** Returns the files of the lock: the one of each holder is named after the text of the one before. The last one does not exist. */
async function lockFiles(path: string): Promise<readonly LockFile[]> {
  const files: LockFile[] = []
  let next = path
  for (;;) {
    const text = await textIn(next)
    files.push({ path: next, text })
    if (text === undefined) return files
    next = `${path}-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
  }
}

function inUse(path: string): LogError {
  return new LogError('in-use', `another process or thread has this log: close it there first (${path})`)
}
