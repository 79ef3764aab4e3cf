import { setTimeout as delay } from 'node:timers/promises'
import { isEqual } from '../../../core/json/equal.ts'
import { timeInMs } from '../../../core/json/lists.ts'
import { firstSentence } from '../../../core/selectors/failure.ts'
import type { SessionStatus } from '../../../core/selectors/status.ts'
import type { SessionIndex } from '../../../node/session-index/session-questions.ts'
import type { SessionRow } from '../../../node/session-index/session-row.ts'
import { ListFeeds, Refreshing } from './list-feeds.ts'
import type { ListedSession, ListLine, SessionNews } from './listed-session.ts'
import type { MachineSessions } from './machine-sessions.ts'
import { newsOf } from './session-news.ts'

interface LiveListOptions {
  readonly ids: MachineSessions
  /** Opens the index of the machine. It is asked once, when a reader comes. */
  readonly openIndex: () => Promise<SessionIndex>
  /** Ends the watching. */
  readonly signal: AbortSignal
  readonly now: () => number
}

/** A list that is left and opened again finds its sessions known. In ms. */
const LINGER_MS = 30_000

/** A status may change because time passes: a turn without an end is over after a while. In ms. */
const TICK_MS = 60_000

/** The sessions of this machine and each change of them, for all readers from one look at the disk. It looks while there are readers. */
export class LiveList {
  readonly #options: LiveListOptions
  readonly #entries = new Map<string, ListedSession>()
  readonly #readers = new ListFeeds()
  readonly #news = new Map<string, KeptNews>()
  readonly #waiting = new Map<string, SessionRow>()
  /** The paths of the sessions that have changed since the last look at the rows. */
  readonly #changed = new Set<string>()
  #index: Promise<SessionIndex> | undefined
  #phases: readonly ('statuses' | 'complete')[] = []
  #stop: AbortController | undefined
  #linger: NodeJS.Timeout | undefined
  #isReadingNews = false
  #isGrowing = false
  #urgent: Promise<unknown> = Promise.resolve()

  constructor(options: LiveListOptions) {
    this.#options = options
  }

  /** A person waits for that work, so the reading for the list goes on after it. */
  yieldTo(work: Promise<unknown>): void {
    this.#urgent = Promise.allSettled([this.#urgent, work])
  }

  /** Whether the index lacks sessions that it still reads. */
  get isGrowing(): boolean {
    return this.#isGrowing
  }

  /** Returns the index for sums. It is brought up to date if nobody who reads the list does that. */
  async indexForSums(): Promise<SessionIndex> {
    const index = await this.index()
    if (!this.#stop) this.#isGrowing = !(await index.update()).isComplete
    return index
  }

  /** The index of the machine. Resolves when it is open. */
  index(): Promise<SessionIndex> {
    this.#index ??= this.#options.openIndex().then((index) => {
      this.#options.signal.addEventListener('abort', () => void index.close())
      return index
    })
    return this.#index
  }

  /** Resolves when nothing reads or writes files any more. */
  async close(): Promise<void> {
    this.#end()
    await (await this.#index)?.close()
  }

  /** Yields the list, and if it is live each change after it. A slow reader gets the newest of each session. */
  async *lines({
    isLive,
    signal,
  }: {
    readonly isLive: boolean
    readonly signal: AbortSignal
  }): AsyncGenerator<ListLine, void> {
    clearTimeout(this.#linger)
    const reader = this.#readers.add(AbortSignal.any([signal, this.#options.signal]))
    for (const session of this.#entries.values()) reader.take(session.id, { session })
    for (const phase of this.#phases) reader.take(phase, { phase })
    this.#start()
    try {
      for await (const line of reader) {
        yield line
        if (!isLive && 'phase' in line && line.phase === 'complete') return
      }
    } finally {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) this.#linger = setTimeout(() => this.#end(), LINGER_MS).unref()
    }
  }

  #start(): void {
    if (this.#stop) return
    const stop = new AbortController()
    this.#stop = stop
    const signal = AbortSignal.any([this.#options.signal, stop.signal])
    const fail = (error: unknown) => {
      const isEnded = signal.aborted
      if (this.#stop === stop) this.#end()
      if (!isEnded) this.#readers.fail(error)
    }
    this.#run(signal, fail).catch(fail)
  }

  #end(): void {
    this.#stop?.abort()
    this.#stop = undefined
    this.#phases = []
  }

  async #run(signal: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    for await (const { id, summary } of this.#options.ids.sessions()) {
      await this.#urgent
      if (signal.aborted) return
      this.#set({ ...this.#entries.get(id), ...this.#options.ids.listed(id, summary) })
    }
    this.#enter('statuses')
    const index = await this.index()
    await this.#readStatuses(index, signal)
    await this.#readNews(signal)
    this.#enter('complete')
    const refresh = new Refreshing(() => this.#refreshAndRead(index, signal), { signal, fail })
    await this.#watch(index, refresh, signal)
  }

  /** A large index grows for a while, and each part of it is shown. The newest sessions come first. */
  async #readStatuses(index: SessionIndex, signal: AbortSignal): Promise<void> {
    for (let patience = 500; !signal.aborted; patience *= 2) {
      const part = AbortSignal.any([signal, AbortSignal.timeout(patience)])
      const { isComplete } = await index.update({ signal: part })
      this.#isGrowing = !isComplete
      await this.#refresh(index, isComplete)
      this.#changed.clear()
      if (isComplete) return
    }
  }

  async #watch(index: SessionIndex, refresh: Refreshing, signal: AbortSignal): Promise<void> {
    const clock = setInterval(() => refresh.soon(), TICK_MS).unref()
    try {
      const changes = index.watch({ signal })[Symbol.asyncIterator]()
      // A change before the watching is in no event.
      let next = changes.next()
      refresh.soon()
      for (let { done, value } = await next; !done && !signal.aborted; { done, value } = await next) {
        // The row of a session may stay the same while its agents work.
        if (value) this.#changed.add(value.path)
        refresh.soon()
        next = changes.next()
      }
    } finally {
      clearInterval(clock)
    }
  }

  async #refreshAndRead(index: SessionIndex, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await this.#refresh(index, true)
    await this.#readNews(signal)
  }

  /** Takes the rows of the index. Only a whole index says that a session is gone. */
  async #refresh(index: SessionIndex, isComplete: boolean): Promise<void> {
    const rows = await index.sessions()
    const { ids, now } = this.#options
    const found = new Set<string>()
    let recent = 0
    for (const row of rows) {
      const id = ids.add(row)
      found.add(id)
      const known = this.#news.get(row.path)
      const key = JSON.stringify(row)
      const isRecent = recent < MOST_NEWS && hasNews(row, now())
      if (isRecent) recent += 1
      const isChanged = known?.key !== key || this.#changed.has(row.path)
      if (isRecent && isChanged) this.#waiting.set(row.path, row)
      const { status } = row
      const reason = reasonOf(row)
      const facts = { ...(status && { status }), ...(reason !== undefined && { reason: ids.shown(reason) }) }
      // Older news are better than none, but not an older status.
      this.#set({
        ...ids.listed(id, row),
        ...facts,
        ...withoutStatus(known?.news),
        ...(known?.key === key && known.news),
      })
    }
    this.#changed.clear()
    if (isComplete) for (const id of this.#entries.keys()) if (!found.has(id)) this.#remove(id)
  }

  /** Reads the sessions whose news are asked for. One that grows all the time gets a tenth of the time. */
  async #readNews(signal: AbortSignal): Promise<void> {
    if (this.#isReadingNews) return
    this.#isReadingNews = true
    try {
      while (this.#waiting.size > 0 && !signal.aborted) {
        await this.#urgent
        const start = performance.now()
        const due = [...this.#waiting.values()].find(
          ({ path }) => (this.#news.get(path)?.nextAt ?? 0) <= start,
        )
        if (due) await this.#readNewsOf(due, start)
        else await delay(100, undefined, { signal, ref: false }).catch(() => {})
      }
    } finally {
      this.#isReadingNews = false
    }
  }

  async #readNewsOf(row: SessionRow, start: number): Promise<void> {
    this.#waiting.delete(row.path)
    const { ids, now } = this.#options
    const read = await ids.read(row)
    const end = performance.now()
    const { updatedAt } = row
    const news = read && shownNews(newsOf(read, { updatedAt, now: now() }), (text) => ids.shown(text))
    this.#news.set(row.path, { key: JSON.stringify(row), news, nextAt: end + 10 * (end - start) })
    const id = ids.add(row)
    const entry = this.#entries.get(id)
    if (entry && news) this.#set({ ...ids.listed(id, row), ...news })
  }

  #enter(phase: 'statuses' | 'complete'): void {
    if (this.#phases.includes(phase)) return
    this.#phases = [...this.#phases, phase]
    this.#readers.take(phase, { phase })
  }

  #set(session: ListedSession): void {
    if (isEqual(this.#entries.get(session.id) ?? null, session)) return
    this.#entries.set(session.id, session)
    this.#readers.take(session.id, { session })
  }

  #remove(id: string): void {
    this.#entries.delete(id)
    this.#readers.take(id, { removed: id })
  }
}

interface KeptNews {
  /** The row when the session was read. */
  readonly key: string
  readonly news: SessionNews | undefined
  /** The session is not read again before that time of the process, in ms. */
  readonly nextAt: number
}

/** The most sessions that are read whole for a list. */
const MOST_NEWS = 80

const DAY_MS = 86_400_000

/** In days. The page shows news of these sessions. */
const NEWS_DAYS: Readonly<Record<SessionStatus, number>> = {
  ...{ waiting: 7, failed: 7, running: 7, background: 7 },
  ...{ finished: 7, interrupted: 7, idle: 1 },
}

function hasNews({ status, updatedAt }: SessionRow, now: number): boolean {
  return status !== undefined && now - timeInMs(updatedAt) < NEWS_DAYS[status] * DAY_MS
}

function reasonOf({ status, reason }: SessionRow): string | undefined {
  return reason !== undefined && status === 'failed' ? firstSentence(reason) : reason
}

/** Returns the news that still hold after a session has gone on. */
function withoutStatus(news: SessionNews | undefined): Partial<SessionNews> {
  if (!news) return {}
  const { status: _status, reason: _reason, doing: _doing, ...facts } = news
  return facts
}

function shownNews(news: SessionNews, shown: (text: string) => string): SessionNews {
  const { reason, doing, lastText } = news
  return {
    ...news,
    ...(reason !== undefined && { reason: shown(reason) }),
    ...(doing && { doing: { ...doing, text: shown(doing.text) } }),
    ...(lastText !== undefined && { lastText: shown(lastText) }),
  }
}
