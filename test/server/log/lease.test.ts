import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMemoryLog, type LocalLogOptions, type SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'

const leaseMs = 10_000

describe('a lease of a log in memory', () => {
  it('ends in its time if the clock goes back', () => checkClock(async (options) => createMemoryLog(options)))
})

describe('a lease of a log in files', () => {
  it('ends in its time if the clock goes back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agentfold-lease-'))
    try {
      await checkClock(async (options) => createFileLog(folder, options))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** An owner of an hour later died, so another one gets the lease after its time, and not after an hour. */
async function checkClock(open: (options: LocalLogOptions) => Promise<SessionLog>): Promise<void> {
  let now = 3_600_000
  const log = await open({ now: () => now })
  const first = await log.acquire('s', 'a', { leaseMs })
  now = 0
  expect(await log.acquire('s', 'b', { leaseMs: 1 })).toBeNull()
  now = leaseMs - 1
  expect(await log.acquire('s', 'b', { leaseMs: 1 })).toBeNull()
  now = leaseMs
  expect(await log.acquire('s', 'b', { leaseMs })).toBeGreaterThan(first ?? 0)
  await log.close()
}
