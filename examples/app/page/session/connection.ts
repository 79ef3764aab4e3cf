import type { SessionStore } from 'agentfold'
import {
  createSyncState,
  missing,
  type PlacedState,
  receive,
  restore,
  type StampedEvent,
  type SyncIssue,
} from 'agentfold/sync'
import { showDirections } from '../../../../src/sinks/markdown/text/lines.ts'

/** `connecting` until the first snapshot arrives, then `live`. `lost` until the connection works again. */
export type ConnectionStatus = 'connecting' | 'live' | 'lost'

/** The time that an event may be missing before the page asks for it again. */
const GAP_MS = 1000

/** The wait before a new connection. It doubles with each failure. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5000

type Timer = ReturnType<typeof setTimeout>

/** Keeps a store up to date with the server's log: a snapshot first, then each event after it, exactly once and in order. */
export class Connection {
  readonly #store: SessionStore
  readonly #listeners = new Set<() => void>()
  #status: ConnectionStatus = 'connecting'
  #sync = createSyncState()
  #source: EventSource | undefined
  #retry: Timer | undefined
  #gap: Timer | undefined
  #failures = 0

  constructor(store: SessionStore) {
    this.#store = store
  }

  readonly getStatus = (): ConnectionStatus => this.#status

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads a snapshot, and follows the events after it. */
  async start(): Promise<void> {
    this.#stop()
    const placed = await loadSnapshot()
    if (!placed) {
      this.#later(() => void this.start())
      return
    }
    this.#store.replaceState(placed.state)
    this.#sync = createSyncState({ epoch: placed.epoch, seq: placed.seq })
    this.#follow()
  }

  /** Asks for the events after the last folded one. The browser's own reconnect asks for those after the last received one. */
  #follow(): void {
    this.#stop()
    const { epoch, seq } = this.#sync
    const source = new EventSource(`events?after=${encodeURIComponent(`${epoch}:${seq}`)}`)
    source.onopen = () => this.#show('live')
    source.onmessage = ({ data }) => this.#take(JSON.parse(showDirections(data)))
    source.addEventListener('log', ({ data }) => {
      if (data !== epoch) this.#restart()
    })
    source.onerror = () => this.#later(() => this.#follow())
    this.#source = source
  }

  #take(stamped: StampedEvent): void {
    const received = receive(this.#sync, stamped)
    const hasMoved = received.sync.seq > this.#sync.seq
    this.#sync = received.sync
    this.#store.dispatchAll(received.events)
    if (hasMoved) this.#failures = 0
    if (received.issues.some(needsSnapshot)) this.#restart()
    else this.#watchGap(hasMoved)
  }

  /** Restarts at once the first time, and later with a wait, so that a faulty server does not get endless requests. */
  #restart(): void {
    if (this.#failures > 0) this.#later(() => void this.start())
    else {
      this.#failures += 1
      void this.start()
    }
  }

  #watchGap(hasMoved: boolean): void {
    const isComplete = missing(this.#sync).length === 0
    if (isComplete || hasMoved) this.#forgetGap()
    if (!isComplete) this.#gap ??= setTimeout(() => this.#follow(), GAP_MS)
  }

  #later(work: () => void): void {
    this.#stop()
    this.#show('lost')
    this.#retry = setTimeout(work, Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS))
    this.#failures += 1
  }

  #stop(): void {
    this.#source?.close()
    this.#source = undefined
    clearTimeout(this.#retry)
    this.#forgetGap()
  }

  #forgetGap(): void {
    clearTimeout(this.#gap)
    this.#gap = undefined
  }

  #show(status: ConnectionStatus): void {
    this.#status = status
    for (const listener of this.#listeners) listener()
  }
}

/** Whether only a new snapshot can solve the issue. */
function needsSnapshot({ code }: SyncIssue): boolean {
  return code === 'different-log' || code === 'too-early'
}

/** Returns undefined if the server is unreachable or its answer is invalid. A later attempt may succeed. */
async function loadSnapshot(): Promise<PlacedState | undefined> {
  try {
    const response = await fetch('snapshot', { cache: 'no-store' })
    return response.ok ? restore(JSON.parse(showDirections(await response.text()))) : undefined
  } catch {
    return undefined
  }
}
