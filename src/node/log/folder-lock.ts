import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { LogError } from '../../server/log/log-error.ts'
import { hasCode, linkIfFree, textIn, unlessMissing, writeSynced } from './disk.ts'

/** A file of the lock. Without a text there is none yet. */
interface LockFile {
  readonly path: string
  readonly text: string | undefined
}

/**
 * The right to write a folder. The file `lock` names the holder. After a holder that has released it or was killed,
 * the next one makes a file that is named after the text of that lock. Only one process can make it, and no process
 * removes a lock that it does not hold.
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

/**
 * Puts the own lock after the last one, and returns whether it is the folder's lock now. Throws a `LogError` if
 * somebody has the last one.
 */
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

/** How often a holder touches its lock, in milliseconds. */
const HEARTBEAT_MS = 500
/** A lock that nobody touches for this time has no holder, in milliseconds. A holder that was only slow cannot lose an append. */
const SILENT_MS = 3000
const POLL_MS = 100

/** The first character of a lock that its holder has released. It makes the number of the process negative. */
const RELEASED = '-'

/**
 * Returns the text of a lock that this thread holds: the process, its start, the processes that it sees, the thread
 * and a name of its own.
 */
export function ownLock(): string {
  return [process.pid, startInSystem('self'), pidNamespace, threadId, randomUUID()].join(' ')
}

/**
 * Whether somebody holds the lock. It watches the lock for a while if this process cannot see the holder, or if the
 * system does not tell when a process started. Another one may have its number.
 */
export async function isHeld(
  text: string,
  path: string,
  startOf: (pid: string) => string = startInSystem,
): Promise<boolean> {
  const [pid = '', start = '', holderNamespace = pidNamespace, holderThread] = text.split(' ')
  if (!(Number(pid) > 0)) return false
  if (holderNamespace !== pidNamespace) return isTouched(path)
  if (start === '') return isRunning(Number(pid)) && isTouched(path)
  if (Number(pid) === process.pid && start === startOf('self'))
    return holderThread === String(threadId) || isTouched(path)
  // A killed process leaves its lock behind, and a later process may have its number.
  return isRunning(Number(pid)) && startOf(pid) === start
}

/** No clock is compared: another machine may have another time. */
async function isTouched(path: string): Promise<boolean> {
  const first = await touchedAt(path)
  for (let waited = 0; waited < SILENT_MS; waited += POLL_MS) {
    await pause(POLL_MS)
    const touched = await touchedAt(path)
    if (touched !== first) return touched !== undefined
  }
  return false
}

/** Opening the file gets its present time from a server of files, too. */
async function touchedAt(path: string): Promise<number | undefined> {
  const file = await unlessMissing(open(path, 'r'))
  try {
    return (await file?.stat())?.mtimeMs
  } finally {
    await file?.close()
  }
}

/** The processes that this one sees. Two containers have the same numbers for other processes, and so have two machines. */
const pidNamespace = readPidNamespace()

function readPidNamespace(): string {
  try {
    // The folder of another container would show other processes.
    if (readlinkSync('/proc/self') !== String(process.pid)) return randomUUID()
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() + readlinkSync('/proc/self/ns/pid')
  } catch {
    return hostname()
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** When the process started, in the system's own unit; empty where the system does not tell, and for a process that has ended. */
function startInSystem(pid: string): string {
  try {
    // The name in the second field may contain spaces; the start is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    // A killed process keeps its number until its parent has asked how it ended.
    const hasEnded = fields?.[0] === 'Z' || fields?.[0] === 'X'
    return hasEnded ? '' : (fields?.[19] ?? '')
  } catch {
    return ''
  }
}
