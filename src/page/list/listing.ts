import type { FoundSession, ListLine } from '../../cli/serve/machine/listed-session.ts'
import { showDirections } from '../../redaction/printable.ts'
import { type ListEntry, timeOf } from './entry.ts'

/** The sessions of the machine, as far as the page knows them. */
export interface ListState {
  /** The newest first. */
  readonly entries: readonly ListEntry[]
  /** `sessions` and `statuses` while they come the first time, and `failed` while there is no connection. */
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

/** The pause before the next attempt to connect, in ms. Each is longer than the one before. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** The sessions of the machine, as the server sends them and each change of them. */
export class Listing {
  #state: ListState = { entries: [], phase: 'sessions' }
  readonly #listeners = new Set<() => void>()
  #loading = new AbortController()
  #endPause: () => void = () => {}
  #searching = new AbortController()

  readonly getState = (): ListState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows the list until `close`. After a lost connection it connects again. */
  async follow(): Promise<void> {
    this.close()
    this.#loading = new AbortController()
    const { signal } = this.#loading
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const list = new LoadedList(this.#state.entries)
      const show = paced(() => !signal.aborted && this.#show({ entries: list.entries(), phase: list.phase }))
      try {
        await readJsonLines('../list?live', signal, (line: ListLine) => {
          list.add(line)
          pause = FIRST_PAUSE_MS
          show()
        })
      } catch {
        // The page says so below.
      }
      if (signal.aborted) return
      list.phase = 'failed'
      this.#show({ phase: 'failed' })
      await this.#pause(pause, signal)
    }
  }

  /** Connects at once if there is no connection. */
  readonly retry = (): void => this.#endPause()

  close(): void {
    this.#loading.abort()
    this.#endPause()
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) this.#endPause()
    })
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

/** A list that is loading. The facts of the list before it stay, so that a list that loads again does not flicker. */
class LoadedList {
  phase: ListState['phase'] = 'sessions'
  readonly #sessions = new Map<string, ListEntry>()
  readonly #before: ReadonlyMap<string, ListEntry>

  constructor(before: readonly ListEntry[]) {
    this.#before = new Map(before.map((entry) => [entry.id, entry]))
  }

  add(line: ListLine): void {
    if ('phase' in line) this.phase = line.phase
    else if ('removed' in line) this.#sessions.delete(line.removed)
    else {
      const { session } = line
      const isNew = session.status === undefined && this.phase === 'sessions'
      this.#sessions.set(session.id, isNew ? { ...this.#before.get(session.id), ...session } : session)
    }
  }

  /** Until all sessions are there, those of the list before it stay. */
  entries(): readonly ListEntry[] {
    const entries = this.phase === 'sessions' ? new Map([...this.#before, ...this.#sessions]) : this.#sessions
    return [...entries.values()].sort((left, right) => inOrder(timeOf(left), timeOf(right)))
  }
}

function inOrder(left: number, right: number): number {
  return (right || 0) - (left || 0)
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

/** Calls the function with each line of JSON. The page and its server are of one version. Rejects if the server does not answer. */
export async function readJsonLines<Line>(
  url: string,
  signal: AbortSignal,
  onLine: (line: Line) => void,
): Promise<void> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(JSON.parse(showDirections(line)))
  }
}
