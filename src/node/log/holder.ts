import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { hasCode, unlessMissing } from './disk.ts'

/** How often a holder touches its lock, in milliseconds. */
export const HEARTBEAT_MS = 500
/** A lock that nobody touches for this time has no holder, in milliseconds. A holder that was only slow cannot lose an append. */
const SILENT_MS = 3000
const POLL_MS = 100

/** The first character of a lock that its holder has released. It makes the number of the process negative. */
export const RELEASED = '-'

/** Returns the text of a lock that this thread holds: the process, its start, the processes that it sees, the thread and a name of its own. */
export function ownLock(): string {
  return [process.pid, startInSystem('self'), pidNamespace, threadId, randomUUID()].join(' ')
}

/**
 * Whether somebody holds the lock. It watches the lock for a while if this process cannot see the holder, or if the system does not tell when a process
 * started: another one may have its number.
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

/** When the process started, in the system's own unit; empty where the system does not tell. */
function startInSystem(pid: string): string {
  try {
    // The name in the second field may contain spaces; the start is the 20th field after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
