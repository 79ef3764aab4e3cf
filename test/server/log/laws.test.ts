import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { SessionLogLawError, sessionLogLaws } from '../../../src/entries/testing.ts'

describe('a log in memory', () => {
  it.each(sessionLogLaws)('$name', async ({ check }) => {
    const log = createMemoryLog()
    await check(log, 'A/../b')
    await log.close()
  })
})

describe('a log in files', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-log-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each(sessionLogLaws)('$name', async ({ name, check }) => {
    const log = createFileLog(join(folder, 'log'))
    await check(log, `A/../${name}`)
    await log.close()
  })
})

describe('a broken log', () => {
  /** Each log breaks one rule. */
  const broken: readonly [string, (log: SessionLog) => Partial<SessionLog>][] = [
    [
      'loses an event',
      (log) => ({ append: (id, events, options) => log.append(id, events.slice(1), options) }),
    ],
    ['gives everybody the lease', () => ({ acquire: async () => 1 })],
    ['never gives the lease', () => ({ acquire: async () => null })],
    ['takes any number', (log) => ({ append: async (id, events) => appendAnywhere(log, id, events) })],
    ['keeps no snapshot', () => ({ loadSnapshot: async () => null })],
    ['hides that it lost events', (log) => ({ read: (id, afterSeq) => readInSilence(log, id, afterSeq) })],
    ['deletes nothing', () => ({ delete: async () => {} })],
    ['lists nothing', () => ({ sessions: async function* () {} })],
    ['closes in silence', () => ({ close: async () => {} })],
  ]

  it.each(broken)('that %s does not pass', async (_, breakLog) => {
    const failures: unknown[] = []
    for (const { check } of sessionLogLaws) {
      const log = createMemoryLog()
      const parts: SessionLog = {
        append: log.append.bind(log),
        read: log.read.bind(log),
        follow: (id, afterSeq) => log.follow(id, afterSeq, { signal: AbortSignal.timeout(200) }),
        saveSnapshot: log.saveSnapshot.bind(log),
        loadSnapshot: log.loadSnapshot.bind(log),
        acquire: log.acquire.bind(log),
        release: log.release.bind(log),
        sessions: log.sessions.bind(log),
        delete: log.delete.bind(log),
        close: log.close.bind(log),
      }
      await check({ ...parts, ...breakLog(log) }, 's').catch((error: unknown) => failures.push(error))
    }
    expect(failures.some((error) => error instanceof SessionLogLawError)).toBe(true)
  })
})

async function* readInSilence(log: SessionLog, id: string, afterSeq: number) {
  for await (const logged of log.read(id, 0)) if (logged.seq > afterSeq) yield logged
}

async function appendAnywhere(log: SessionLog, id: string, events: Parameters<SessionLog['append']>[1]) {
  let seq = 0
  for await (const logged of log.read(id, 0)) seq = logged.seq
  return log.append(id, events, { expectedSeq: seq })
}
