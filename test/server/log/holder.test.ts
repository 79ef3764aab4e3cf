import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, it } from 'vitest'
import { isHeld, ownLock } from '../../../src/node/log/folder-lock.ts'
import { temporaryFolder } from '../../cli/temporary.ts'

const { inFolder } = temporaryFolder()
let timer: NodeJS.Timeout | undefined
afterEach(() => clearInterval(timer))

/** A system that does not tell when a process started, as macOS and Windows. */
const startOf = () => ''

/** Returns the lock of that process on such a system. */
function lockOf(pid: number): string {
  const [, , space, thread, name] = ownLock().split(' ')
  return [pid, '', space, thread, name].join(' ')
}

// A process that is alive had the number of a dead holder, and the lock stayed for ever.
it.each([process.pid, process.ppid])(
  'a lock that nobody touches is free where no start of a process is known: %j',
  async (pid) => {
    const path = join(inFolder('.'), 'lock')
    await writeFile(path, lockOf(pid))
    expect(await isHeld(lockOf(pid), path, startOf)).toBe(false)
  },
)

it('a lock that its holder touches is held there', async () => {
  const path = join(inFolder('.'), 'lock')
  await writeFile(path, lockOf(process.ppid))
  let time = 1
  timer = setInterval(() => void utimes(path, time, time++), 50)
  expect(await isHeld(lockOf(process.ppid), path, startOf)).toBe(true)
})
