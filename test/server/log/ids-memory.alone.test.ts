import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createMemoryLog, type SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { temporaryFolder } from '../../cli/temporary.ts'

const { inFolder } = temporaryFolder()

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const IDS = 1_500
const LENGTH = 10_000
/** A log keeps the sessions of the last 256 calls open. */
const MOST = 400

const event = { type: 'session:running' } as const

/** Everything that a caller can ask about a session, and that changes nothing. */
const QUESTIONS: readonly (readonly [string, (log: SessionLog, id: string) => Promise<unknown>])[] = [
  ['read', (log, id) => lastOf(log.read(id, 0))],
  ['follow', (log, id) => lastOf(log.follow(id, 0, { signal: AbortSignal.abort() }))],
  ['loadSnapshot', (log, id) => log.loadSnapshot(id)],
  ['release', (log, id) => log.release(id, 1).catch(() => {})],
  ['a refused append', (log, id) => log.append(id, [event], { expectedSeq: 5 }).catch(() => {})],
]

const LOGS: readonly (readonly [string, () => SessionLog])[] = [
  ['memory', () => createMemoryLog()],
  ['files', () => createFileLog(inFolder('log'))],
]

// A web server may pass on whatever id stands in an address. Each one stayed in the memory for ever.
describe.each(LOGS)('a log in %s', (_, create) => {
  it.each(QUESTIONS)('keeps nothing of an id that is only asked for: %s', async (_, ask) => {
    const log = create()
    await ask(log, 'first')
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let each = 0; each < IDS; each += 1) await ask(log, longId(each))
    collectGarbage()
    const kept = process.memoryUsage().heapUsed - before
    await log.close()
    // Without the limit it would be all of them.
    expect(kept).toBeLessThan(MOST * LENGTH)
  })
})

/** Returns an id that has its characters for itself. */
function longId(each: number): string {
  return Buffer.alloc(LENGTH, `${each} `).toString('latin1')
}

async function lastOf(items: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown
  for await (const item of items) last = item
  return last
}
