import type { FoundSession, ListedSession, ListLine } from '../../cli/serve/machine/listed-session.ts'
import type { SessionStatus } from '../../core/selectors/status.ts'
import { readJsonLines } from './read-json-lines.ts'

/** A session of the list. Its status is absent until the server has read the session, or if it cannot. */
export interface ListEntry extends ListedSession {
  readonly status?: SessionStatus
}

/** What the page knows of the sessions of the machine. */
export interface ListState {
  readonly entries: readonly ListEntry[]
  /** `sessions` and `statuses` while they come. */
  readonly phase: 'sessions' | 'statuses' | 'complete' | 'failed'
  /** The text that was searched in all texts, with the sessions that have it. */
  readonly search?: {
    readonly text: string
    readonly found: readonly FoundSession[]
    readonly isOver: boolean
  }
}

/** The time between two changes of the page while lines come, in ms. */
const PACE_MS = 100

/** The sessions of the machine, as the server sends them. */
export class Listing {
  #state: ListState = { entries: [], phase: 'sessions' }
  readonly #listeners = new Set<() => void>()
  #loading = new AbortController()
  #searching = new AbortController()

  readonly getState = (): ListState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the list. The old one stays until the sessions are there. */
  async load(): Promise<void> {
    this.#loading.abort()
    this.#loading = new AbortController()
    const { signal } = this.#loading
    const list = new LoadedList(this.#state.entries)
    const show = paced(() => !signal.aborted && this.#show({ entries: list.entries(), phase: list.phase }))
    try {
      await readJsonLines('../list', signal, (line: ListLine) => {
        list.add(line)
        show()
      })
      list.phase = 'complete'
    } catch {
      list.phase = 'failed'
    }
    if (!signal.aborted) this.#show({ entries: list.entries(), phase: list.phase })
  }

  /** Searches the texts of all sessions. */
  async search(text: string): Promise<void> {
    this.endSearch()
    const { signal } = this.#searching
    const found: FoundSession[] = []
    let isOver = false
    const show = () => !signal.aborted && this.#show({ search: { text, found: [...found], isOver } })
    show()
    const showSoon = paced(show)
    try {
      await readJsonLines(`../search?text=${encodeURIComponent(text)}`, signal, (line: FoundSession) => {
        found.push(line)
        showSoon()
      })
    } catch {
      // Part of the answer would be a wrong one.
      if (!signal.aborted) this.#show({ phase: 'failed' })
    }
    isOver = true
    show()
  }

  endSearch(): void {
    this.#searching.abort()
    this.#searching = new AbortController()
    const { search: _, ...rest } = this.#state
    this.#state = rest
    this.#show({})
  }

  #show(change: Partial<ListState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** A list that is loading. A status stays from the list before it, so that a list that loads again does not flicker. */
class LoadedList {
  phase: ListState['phase'] = 'sessions'
  readonly #sessions = new Map<string, ListEntry>()
  readonly #before: ReadonlyMap<string, ListEntry>

  constructor(before: readonly ListEntry[]) {
    this.#before = new Map(before.map((entry) => [entry.id, entry]))
  }

  add(line: ListLine): void {
    if ('session' in line) {
      const status = this.#before.get(line.session.id)?.status
      this.#sessions.set(line.session.id, { ...line.session, ...(status && { status }) })
      return
    }
    this.phase = 'statuses'
    const entry = this.#sessions.get(line.id)
    if (entry) this.#sessions.set(line.id, { ...entry, status: line.status })
  }

  entries(): readonly ListEntry[] {
    const isWhole = this.phase === 'statuses' || this.phase === 'complete'
    const isLonger = this.#sessions.size >= this.#before.size
    return [...(isWhole || isLonger ? this.#sessions : this.#before).values()]
  }
}

/** Returns a function that does the work at most once in that time. */
function paced(work: () => unknown): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      work()
    }, PACE_MS)
  }
}
