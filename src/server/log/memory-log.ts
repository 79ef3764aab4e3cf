import type { SessionEvent } from '../../core/events/event.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import { withinLimit } from './arguments.ts'
import { type Lease, NO_LEASE } from './lease.ts'
import { LocalLog, type LocalLogOptions, type SessionStorage } from './local-log.ts'
import type { LoggedEvent, SessionLog } from './session-log.ts'

/** Returns a log that keeps everything in the memory of this process. */
export function createMemoryLog(options: LocalLogOptions = {}): SessionLog {
  const sessions = new Map<string, MemorySession>()
  const open = async (sessionId: string): Promise<MemorySession> => {
    const keep = (session: MemorySession): void => void sessions.set(sessionId, session)
    const forget = (): void => void sessions.delete(sessionId)
    return sessions.get(sessionId) ?? new MemorySession(keep, forget)
  }
  const ids = async function* () {
    yield* [...sessions.keys()]
  }
  return new LocalLog({ open, sessions: ids, close: async () => sessions.clear() }, options)
}

class MemorySession implements SessionStorage {
  droppedSeq = 0
  lease: Lease = NO_LEASE
  #events: SessionEvent[] = []
  #snapshot: Snapshot | null = null
  /** Called with each write: a session that was only read needs no memory. */
  readonly #keep: (session: MemorySession) => void
  readonly #forget: () => void

  constructor(keep: (session: MemorySession) => void, forget: () => void) {
    this.#keep = keep
    this.#forget = forget
  }

  get lastSeq(): number {
    return this.droppedSeq + this.#events.length
  }

  /** No other process has this memory. */
  async refresh(): Promise<void> {}

  async append(events: readonly SessionEvent[]): Promise<boolean> {
    // Copies, as a log on a disk has: the caller may change its events.
    for (const event of copyOf(events)) this.#events.push(event)
    this.#keep(this)
    return true
  }

  async events(afterSeq: number): Promise<AsyncIterable<LoggedEvent>> {
    return numbered(this.#events.slice(afterSeq - this.droppedSeq), afterSeq)
  }

  async saveLease(lease: Lease): Promise<void> {
    this.lease = lease
    this.#keep(this)
  }

  async saveSnapshot(snapshot: Snapshot, trim: boolean): Promise<void> {
    this.#snapshot = copyOf(snapshot)
    this.#keep(this)
    if (!trim || snapshot.seq <= this.droppedSeq) return
    this.#events = this.#events.slice(snapshot.seq - this.droppedSeq)
    this.droppedSeq = snapshot.seq
  }

  async loadSnapshot(): Promise<Snapshot | null> {
    return this.#snapshot
  }

  async delete(): Promise<void> {
    this.#forget()
  }
}

async function* numbered(
  events: readonly SessionEvent[],
  afterSeq: number,
): AsyncGenerator<LoggedEvent, void> {
  for (const [at, event] of events.entries()) yield { seq: afterSeq + at + 1, event }
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(withinLimit(() => JSON.stringify(value)))
}
