import type { SessionEvent } from '../events/event.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import { type Lease, NO_LEASE } from './lease.ts'
import { LocalLog, type LocalLogOptions, type SessionStorage } from './local-log.ts'
import type { LoggedEvent, SessionLog } from './session-log.ts'

/** Returns a log that keeps everything in the memory of this process. */
export function createMemoryLog(options: LocalLogOptions = {}): SessionLog {
  const sessions = new Map<string, MemorySession>()
  const open = async (sessionId: string): Promise<MemorySession> => {
    const session = sessions.get(sessionId) ?? new MemorySession()
    sessions.set(sessionId, session)
    return session
  }
  return new LocalLog({ open, close: async () => sessions.clear() }, options)
}

class MemorySession implements SessionStorage {
  droppedSeq = 0
  lease: Lease = NO_LEASE
  #events: SessionEvent[] = []
  #snapshot: Snapshot | null = null

  get lastSeq(): number {
    return this.droppedSeq + this.#events.length
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    // Copies, as a log on a disk has: the caller may change its events.
    for (const event of copyOf(events)) this.#events.push(event)
  }

  async events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>> {
    return numbered(this.#events.slice(afterSeq - this.droppedSeq), afterSeq)
  }

  async saveLease(lease: Lease): Promise<void> {
    this.lease = lease
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#snapshot = copyOf(snapshot)
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    return this.#snapshot
  }

  async drop(upToSeq: number): Promise<void> {
    this.#events = this.#events.slice(upToSeq - this.droppedSeq)
    this.droppedSeq = upToSeq
  }
}

async function* numbered(
  events: readonly SessionEvent[],
  afterSeq: number,
): AsyncGenerator<LoggedEvent, void> {
  for (const [at, event] of events.entries()) yield { seq: afterSeq + at + 1, event }
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}
