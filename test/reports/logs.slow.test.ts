import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildLockChild, expectReadable, resultOf } from '../server/log/faults/lock-processes.ts'
import type { LockTask } from '../server/log/faults/lock-task.ts'
import { kill } from '../server/log/faults/processes.ts'
import { report } from '../server/log/faults/report.ts'

const ROUNDS = 8
const PROCESSES = 3

let program = ''
let folder = ''
beforeAll(async () => {
  program = await buildLockChild('esm')
  folder = await mkdtemp(join(tmpdir(), 'agentfold-lock-race-'))
})
afterAll(async () => {
  await rm(program, { force: true })
  await rm(folder, { recursive: true })
})

// Two of three processes took a dead lock together in 9 of 20 rounds, and an empty folder in 3 of 60.
it.each([
  ['no lock', undefined],
  ['the lock of a killed process', '999999 12345'],
  ['the lock of a process that has released it', `-${process.pid} 12345`],
])('one of several processes that start at once has the folder: %s', async (kind, lock) => {
  const figures = { rounds: ROUNDS, processes: PROCESSES, confirmed: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const log = await mkdtemp(join(folder, 'log-'))
    if (lock) await writeFile(join(log, 'lock'), lock)
    const at = Date.now() + 600
    const children = Array.from({ length: PROCESSES }, (_, each) => {
      const task: LockTask = { folder: log, name: `p${each}`, at, count: 20, pauseMs: 5 }
      return spawn(process.execPath, [program, JSON.stringify(task)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    })
    const results = await Promise.all(children.map(resultOf))
    await Promise.all(children.map(kill))
    expect(
      results.filter(({ confirmed }) => confirmed.length > 0),
      kind,
    ).toHaveLength(1)
    expect(results.filter(({ code }) => code === 'in-use')).toHaveLength(PROCESSES - 1)
    await expectReadable(log, results)
    for (const { confirmed } of results) figures.confirmed += confirmed.length
  }
  report(figures)
})

it('one of several processes that start at once has the folder of an owner that was just killed', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const log = await mkdtemp(join(folder, 'log-'))
    const start = (name: string, at: number, count: number) => {
      const task: LockTask = { folder: log, name, at, count, pauseMs: 1 }
      return spawn(process.execPath, [program, JSON.stringify(task)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    }
    const owner = start('owner', 0, 1)
    const first = await resultOf(owner)
    const at = Date.now() + 400
    const children = Array.from({ length: PROCESSES }, (_, each) => start(`p${each}`, at, 3))
    owner.kill('SIGKILL')
    const results = await Promise.all(children.map(resultOf))
    await Promise.all(children.map(kill))
    expect(results.filter(({ confirmed }) => confirmed.length > 0)).toHaveLength(1)
    expect(results.filter(({ code }) => code === 'in-use')).toHaveLength(PROCESSES - 1)
    await expectReadable(log, [first, ...results])
  }
})
