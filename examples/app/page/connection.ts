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

/** `connecting` until the session is there, then `live`; `lost` until the connection is there again. */
export type ConnectionStatus = 'connecting' | 'live' | 'lost'

/** How long an event may be missing before it is asked for again, and how long to wait before connecting again, in ms. */
const PATIENCE = 1000
const FIRST_WAIT = 250
const LONGEST_WAIT = 5000

type Timer = ReturnType<typeof setTimeout>

/** Keeps a store at what the server's log says: a snapshot first, then each event after it, exactly once and in order. */
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

  /** Takes a snapshot, and goes on from there. */
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

  /** Asks for what comes after the last event that was handed on: the browser would ask after the last that it has seen. */
  #follow(): void {
    this.#stop()
    const { epoch, seq } = this.#sync
    const source = new EventSource(`/events?after=${encodeURIComponent(`${epoch}:${seq}`)}`)
    source.onopen = () => this.#show('live')
    source.onmessage = ({ data }) => this.#take(JSON.parse(data))
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
    if (received.issues.some(isLost)) this.#restart()
    else this.#watchGap(hasMoved)
  }

  /** At once the first time; a server that is at odds with itself must not be asked without end. */
  #restart(): void {
    if (this.#failures > 0) this.#later(() => void this.start())
    else {
      this.#failures += 1
      void this.start()
    }
  }

  #watchGap(hasMoved: boolean): void {
    const isWhole = missing(this.#sync).length === 0
    if (isWhole || hasMoved) this.#forgetGap()
    if (!isWhole) this.#gap ??= setTimeout(() => this.#follow(), PATIENCE)
  }

  #later(work: () => void): void {
    this.#stop()
    this.#show('lost')
    this.#retry = setTimeout(work, Math.min(FIRST_WAIT * 2 ** this.#failures, LONGEST_WAIT))
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

/** What no later event makes good. */
function isLost({ code }: SyncIssue): boolean {
  return code === 'different-log' || code === 'too-early'
}

/** Undefined while the server is away, or is not what it was: both may pass. */
async function loadSnapshot(): Promise<PlacedState | undefined> {
  try {
    const response = await fetch('/snapshot', { cache: 'no-store' })
    return response.ok ? restore(await response.json()) : undefined
  } catch {
    return undefined
  }
}
