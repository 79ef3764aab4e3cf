import { setTimeout as pause } from 'node:timers/promises'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../../src/entries/index.ts'
import { LogError, type SessionLog } from '../../../../src/entries/log.ts'
import { restore } from '../../../../src/entries/sync.ts'

/** A reader, as a web server is one. */
export interface Reader {
  readonly seq: () => number
  /** Ends with the state, and the numbers that it read. */
  readonly done: Promise<{
    readonly state: SessionConversationState
    readonly gaps: number
    readonly snapshots: number
  }>
}

/** Follows a session up to a number. It loads a snapshot if the log has dropped the next event. */
export function read(log: SessionLog, id: string, upTo: number, signal: AbortSignal): Reader {
  let state = createInitialConversationState()
  let seq = 0
  const counts = { gaps: 0, snapshots: 0 }
  const follow = async (): Promise<void> => {
    for await (const logged of log.follow(id, seq, { signal })) {
      if (logged.seq !== seq + 1) counts.gaps += 1
      state = reduceSessionEvents(state, [logged.event])
      seq = logged.seq
      if (seq >= upTo) return
    }
  }
  const run = async () => {
    while (seq < upTo && !signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (!(error instanceof LogError && error.code === 'trimmed')) throw error
        const place = await log.loadSnapshot(id).catch(() => pause(20))
        if (place) ({ state, seq } = restore(place))
        counts.snapshots += 1
      }
    }
    if (seq < upTo) throw new Error(`a reader of ${id} has ${seq} of ${upTo} events`)
    return { state, ...counts }
  }
  return { seq: () => seq, done: run() }
}
