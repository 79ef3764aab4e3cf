import { setTimeout as pause } from 'node:timers/promises'
import type { SessionEvent } from '../../../../src/entries/index.ts'
import { LogError, type SessionLog } from '../../../../src/entries/log.ts'

/** The counts of the refused and repeated appends of a producer. */
export interface Produced {
  readonly repeated: number
  readonly early: number
  readonly unsure: number
}

/**
 * Appends the events over a connection that fails. Some appends are sent twice, and some are sent before their turn. An append whose answer was lost is
 * sent again, and `wrong-seq` then says whether it had happened.
 */
export async function produce(
  log: SessionLog,
  id: string,
  events: readonly SessionEvent[],
  next: () => number,
): Promise<Produced> {
  const counts = { repeated: 0, early: 0, unsure: 0 }
  let seq = 0
  let isUnsure = false
  let batch = events.slice(0, 1)
  while (batch.length > 0) {
    const send = (at: number) => log.append(id, batch, { expectedSeq: at })
    try {
      // After an answer was lost, the number behind this batch may be the right one.
      if (!isUnsure && next() < 0.2 && (await isRefused(send(seq + batch.length)))) counts.early += 1
      const last = await appended(send(seq), seq + batch.length)
      if (next() < 0.2 && (await isRefused(send(seq)))) counts.repeated += 1
      seq = last
      isUnsure = false
      batch = events.slice(seq, seq + 1 + Math.floor(next() * 8))
    } catch (error) {
      if (error instanceof LogError) throw error
      counts.unsure += 1
      isUnsure = true
    }
    await pause(next() * 250)
  }
  return counts
}

/** Resolves with the number of the last event, also if an earlier try has appended the events. */
async function appended(append: Promise<number>, last: number): Promise<number> {
  try {
    return await append
  } catch (error) {
    if (error instanceof LogError && error.actual === last) return last
    throw error
  }
}

/** Whether the log refuses the append. Throws if it takes it. */
async function isRefused(append: Promise<number>): Promise<boolean> {
  try {
    await append
  } catch (error) {
    if (error instanceof LogError) return error.code === 'wrong-seq'
    throw error
  }
  throw new Error('the log took an append with a wrong number')
}
