import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildLockChild, expectReadable, resultOf } from './faults/lock-processes.ts'
import type { LockTask } from './faults/lock-task.ts'
import { kill } from './faults/processes.ts'

const programs = { esm: '', cjs: '' }

/** Another PID namespace has other processes under the same numbers, as another container has. */
const UNSHARE = ['--pid', '--fork', '--kill-child', '--mount-proc']
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0
if (!canUnshare)
  process.stderr.write('SKIPPED: the lock between PID namespaces needs root and the program unshare\n')

beforeAll(async () => {
  for (const format of ['esm', 'cjs'] as const) programs[format] = await buildLockChild(format)
})
afterAll(() => Promise.all(Object.values(programs).map((path) => rm(path, { force: true }))))

describe('the lock of a log in files', () => {
  let folder = ''
  const children: ChildProcess[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-lock-'))
  })
  afterEach(async () => {
    await killAll()
    await rm(folder, { recursive: true })
  })

  async function killAll(): Promise<void> {
    await Promise.all(children.splice(0).map(kill))
  }

  function start(command: readonly string[], task: LockTask): ChildProcess {
    const [program = '', ...args] = [...command, JSON.stringify(task)]
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    return child
  }

  it('is one for the ESM and the CommonJS copy of the package, and for two threads', async () => {
    const at = Date.now() + 500
    const workers = [programs.esm, programs.cjs].map((program, each) => {
      const task: LockTask = { folder, name: `t${each}`, at, count: 20, pauseMs: 20 }
      return new Worker(program, { workerData: task })
    })
    const results = (await Promise.all(workers.map((worker) => once(worker, 'message')))).flat()
    await Promise.all(workers.map((worker) => worker.terminate()))
    expect(results.filter(({ confirmed }) => confirmed.length > 0)).toHaveLength(1)
    await expectReadable(folder, results)
  })

  describe.skipIf(!canUnshare)(
    `between PID namespaces${canUnshare ? '' : ' (skipped: no root or no unshare)'}`,
    () => {
      const command = ['unshare', ...UNSHARE, process.execPath]

      it('holds while its owner runs', async () => {
        const task = { folder, count: 60, pauseMs: 50 }
        const first = resultOf(start([...command, programs.esm], { ...task, name: 'a', at: 0 }))
        await pause(700)
        const second = resultOf(start([...command, programs.esm], { ...task, name: 'b', at: 0 }))
        expect(await second).toEqual({ confirmed: [], code: 'in-use' })
        const result = await first
        await killAll()
        await expectReadable(folder, [result])
      })

      it('refuses the appends of an owner that was stopped for longer than others wait', async () => {
        const first = start([...command, programs.esm], { folder, name: 'a', at: 0, count: 5000, pauseMs: 5 })
        const confirmed = resultOf(first)
        // The first append is confirmed when the second one is in the file.
        await expect.poll(() => eventCountIn(folder)).toBeGreaterThan(1)
        const owner = await childOf(first)
        process.kill(owner, 'SIGSTOP')
        const task = { folder, name: 'b', at: 0, count: 20, pauseMs: 5 }
        const second = await resultOf(start([...command, programs.esm], task))
        process.kill(owner, 'SIGCONT')
        const stopped = await confirmed
        // It may have been stopped in the middle of an append. Then its line came after those of the other owner.
        expect(['in-use', 'wrong-seq']).toContain(stopped.code)
        expect(stopped.confirmed.length).toBeGreaterThan(0)
        await killAll()
        await expectReadable(folder, [stopped, second])
      })

      it('is free some seconds after its owner was killed', async () => {
        const first = start([...command, programs.esm], {
          folder,
          name: 'a',
          at: 0,
          count: 1,
          pauseMs: 0,
        })
        const result = await resultOf(first)
        await kill(first)
        const second = await resultOf(
          start([...command, programs.esm], { folder, name: 'b', at: 0, count: 1, pauseMs: 0 }),
        )
        expect(second).toEqual({ confirmed: [2] })
        await killAll()
        await expectReadable(folder, [result, second])
      })
    },
  )
})

/** Returns the number of lines in the files with the events of sessions. */
async function eventCountIn(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true })
  const files = paths.filter((path) => path.endsWith('events.ndjson')).map((path) => join(folder, path))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return texts.join('').split('\n').length - 1
}

/** Returns the process that `unshare` started. */
async function childOf({ pid }: ChildProcess): Promise<number> {
  return Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
}
