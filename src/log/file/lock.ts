import { readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { LogError } from '../log-error.ts'
import { hasCode } from './disk.ts'

/** The folders that logs of this process have. */
const lockedHere = new Set<string>()

/** Takes the folder for this process. Throws a `LogError` (`in-use`) if another process that still runs has it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock')
  if (lockedHere.has(path)) throw inUse(path, 'this process')
  lockedHere.add(path)
  try {
    await takeLock(path)
  } catch (error) {
    lockedHere.delete(path)
    throw error
  }
  return async () => {
    await rm(path, { force: true })
    lockedHere.delete(path)
  }
}

async function takeLock(path: string): Promise<void> {
  const own = `${process.pid} ${startOf(process.pid)}`
  try {
    await writeFile(path, own, { flag: 'wx' })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    const [pid = '', start = ''] = (await readFile(path, 'utf8')).split(' ')
    // A killed process leaves its lock behind, and a later process may have its number.
    if (
      Number(pid) !== process.pid &&
      Number(pid) > 0 &&
      isRunning(Number(pid)) &&
      startOf(Number(pid)) === start
    )
      throw inUse(path, `process ${pid}`)
    await writeFile(path, own)
  }
}

function inUse(path: string, owner: string): LogError {
  return new LogError('in-use', `${owner} has this log: close it there first (${path})`)
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
function startOf(pid: number): string {
  try {
    // The name in the second field may contain spaces; the start is the 20th field after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
