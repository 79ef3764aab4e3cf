import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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

/** Starts a process that ends when its parent has become `sleep`, which never asks how it ended. */
const HELD = "sh -c 'until grep -q sleep /proc/$PPID/comm; do :; done' & echo $!; exec sleep 30"

// Its parent had not asked how it ended, so the next process was refused although nobody had the folder.
it.skipIf(!existsSync('/proc/self/stat'))(
  'a lock of a killed process is free before its parent learns that',
  async () => {
    const parent = spawn('sh', ['-c', HELD], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      let pid = ''
      for await (const chunk of parent.stdout) {
        pid += chunk
        if (pid.includes('\n')) break
      }
      const stat = () => readFileSync(`/proc/${pid.trim()}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      await expect.poll(() => stat()[0]).toBe('Z')
      const [, , space, thread, name] = ownLock().split(' ')
      const lock = [pid.trim(), stat()[19], space, thread, name].join(' ')
      expect(await isHeld(lock, inFolder('lock'))).toBe(false)
    } finally {
      parent.kill('SIGKILL')
    }
  },
)
