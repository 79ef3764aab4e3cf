import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings, timeInMs } from '../../core/json/lists.ts'
import { formatOf } from '../../wires/all.ts'
import { ifReadable } from '../files/read-error.ts'
import { readListedState } from '../read/read-session.ts'
import {
  findMatches,
  isTool,
  isUnfiltered,
  type MatchFilter,
  type SearchPattern,
  searchPattern,
  sessionFilter,
} from '../search.ts'
import { DamagedIndexError } from './index-blocks.ts'
import { changesOf, indexPath } from './index-place.ts'
import { KeptEntries } from './kept-entries.ts'
import { folderFilter, queryFilter, requiredTime, type SessionQuery } from './session-filter.ts'
import { IndexedSessions, type UpdateOptions } from './session-index.ts'
import {
  type Answer,
  type FoundMatch,
  foundMatch,
  type IndexOptions,
  type SearchQuery,
  type SessionIndex,
  type SessionRecord,
  type SessionsQuery,
  type StatisticsQuery,
  type UpdateResult,
} from './session-questions.ts'
import { type RowFacts, rowAt, type SessionRow, statusAt } from './session-row.ts'
import { type Statistic, statisticsOf } from './statistics.ts'
import { mayHaveAll, wordHashes } from './text-signature.ts'

/**
 * Opens the index of the sessions of this machine. It is a file in the cache folder of the system, and is made from
 * the sessions' files: it may be thrown away at any time. Its answers are those of the files. Where the file cannot be
 * written, the index is in memory.
 */
export async function openSessionIndex({
  path,
  home,
  roots,
  exclude = [],
  now = Date.now,
}: IndexOptions = {}): Promise<SessionIndex> {
  if (typeof roots === 'string') throw new TypeError('roots: pass a list of folders')
  const scope = { home, roots }
  const file = path === false ? undefined : (path ?? indexPath(scope, home?.split(',')[0]))
  return new OpenedIndex(new IndexedSessions(scope, new KeptEntries(file), now), { ...scope, exclude, now })
}

interface IndexFacts {
  readonly home: string | undefined
  readonly roots: readonly string[] | undefined
  readonly exclude: readonly string[]
  readonly now: () => number
}

/** A session of a list. */
interface IndexedSession {
  readonly key: string
  readonly facts: RowFacts
}

class OpenedIndex implements SessionIndex {
  readonly #sessions: IndexedSessions
  readonly #facts: IndexFacts
  readonly #excluded: readonly ReturnType<typeof folderFilter>[]
  #isUpdated = false
  readonly #closing = new AbortController()
  /** One update or question at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(sessions: IndexedSessions, facts: IndexFacts) {
    this.#sessions = sessions
    this.#facts = facts
    this.#excluded = facts.exclude.map(folderFilter)
  }

  update(options?: UpdateOptions): Promise<UpdateResult> {
    return this.#inTurn(async () => {
      const { read, removed, isComplete } = await this.#update(options)
      return { read, removed: removed.length, isComplete }
    })
  }

  sessions(query: SessionsQuery = {}): Answer<SessionRow> {
    return this.#answer(async () => this.#rows(this.#listed(query)))
  }

  async count(query: SessionQuery = {}): Promise<number> {
    return (await this.#answer(async () => this.#listed(query))).length
  }

  records(query: SessionsQuery = {}): Answer<SessionRecord> {
    return this.#answer(async () => {
      const { kept } = this.#sessions
      const listed = this.#listed(query)
      const keys = listed.map(({ key }) => key)
      const rows = kept.values('row', keys)
      const [parts, tools] = [kept.values('parts', keys), kept.values('tools', keys)]
      const details = kept.values('details', keys)
      return this.#rows(listed).flatMap((shown, at) => {
        const key = keys[at] ?? ''
        const [ownParts, ownTools, others] = [parts.get(key), tools.get(key), details.get(key)]
        if (!ownParts || !ownTools || !others) return []
        const { answer } = rows.get(key) ?? {}
        return [omitUndefined({ ...shown, answer, parts: ownParts, tools: ownTools, ...others })]
      })
    })
  }

  search(text: string, query: SearchQuery = {}): Answer<FoundMatch> {
    return this.#answer(() => this.#search(text, query))
  }

  async *candidates(text: string, filter: MatchFilter = {}): AsyncGenerator<SessionRow, void> {
    const pattern = text.trim() === '' ? undefined : searchPattern(text)
    const isPossible = pattern && sessionFilter(pattern)
    for (const session of await this.#answer(async () => this.#searched(pattern, filter)))
      if (!isPossible || (await mayContain(session.key, isPossible)))
        yield* await this.#answer(async () => this.#rows([session]))
  }

  stats({ by, since, cwd, priceOf }: StatisticsQuery): Answer<Statistic> {
    return this.#answer(async () => {
      const now = this.#facts.now()
      const from = since === undefined ? undefined : requiredTime(since, now, 'since')
      const listed = this.#listed({ cwd })
      const keys = listed.map(({ key }) => key)
      const parts = by === 'tool' ? undefined : this.#sessions.kept.values('parts', keys)
      const tools = by === 'tool' ? this.#sessions.kept.values('tools', keys) : undefined
      const counted = listed.map(({ key, facts }) => ({
        facts,
        parts: parts?.get(key) ?? [],
        tools: tools?.get(key) ?? [],
      }))
      const sinceDay = from === undefined ? undefined : new Date(from).toISOString().slice(0, 10)
      return statisticsOf(counted, { by, sinceDay, priceOf })
    })
  }

  async *watch(
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionRow & { readonly isRemoved?: true }, void> {
    await this.update()
    const signal = this.#untilClosed(options.signal)
    for await (const _ of changesOf(this.#facts, signal)) {
      const { changed, removed } = await this.#inTurn(() => this.#update({ signal }))
      const now = this.#facts.now()
      for (const row of removed)
        if (row && !this.#isExcluded(row)) yield { ...rowAt(row, now), isRemoved: true }
      yield* await this.#answer(async () => {
        const found = changed.flatMap((key) => {
          const facts = this.#sessions.kept.entries.get(key)?.head.facts
          return facts && !this.#isExcluded(facts) ? [{ key, facts }] : []
        })
        return this.#rows(found)
      })
    }
  }

  close(): Promise<void> {
    this.#closing.abort()
    return this.#behindLast(async () => this.#sessions.close())
  }

  #untilClosed(signal = this.#closing.signal): AbortSignal {
    return AbortSignal.any([this.#closing.signal, signal])
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#closing.signal.aborted) throw new Error('the session index is closed')
    return this.#behindLast(work)
  }

  #behindLast<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(work, work)
    this.#last = next
    return next
  }

  async #update(options?: UpdateOptions): ReturnType<IndexedSessions['update']> {
    this.#isUpdated = true
    const untilClosed = { ...options, signal: this.#untilClosed(options?.signal) }
    return this.#orAnew(() => this.#sessions.update(untilClosed))
  }

  /** A damaged index is thrown away, and the work is done again with all sessions. */
  async #orAnew<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DamagedIndexError)) throw error
      this.#sessions.kept.discard()
      await this.#sessions.update()
      return work()
    }
  }

  #answer<Item>(ask: () => Promise<readonly Item[]>): Answer<Item> {
    const list = this.#inTurn(async () => {
      if (!this.#isUpdated) await this.#update()
      return this.#orAnew(ask)
    })
    return Object.assign(list, {
      async *[Symbol.asyncIterator]() {
        yield* await list
      },
    })
  }

  /** Returns the sessions, newest first. An older file of a session is none. */
  #newest(): readonly IndexedSession[] {
    const all: (IndexedSession & { readonly changedAt: number; readonly time: number })[] = []
    for (const [key, { head }] of this.#sessions.kept.entries) {
      const { facts, changedAt } = head
      if (facts) all.push({ key, facts, changedAt, time: timeInMs(facts.updatedAt) })
    }
    all.sort(
      (left, right) =>
        right.time - left.time || right.changedAt - left.changedAt || compareStrings(left.key, right.key),
    )
    const listed = new Set<string>()
    return all.filter(({ facts }) => {
      const { id, format } = facts
      if (this.#isExcluded(facts)) return false
      if (!formatOf(format).storage.hasFilesOfOneId) return true
      const isOlder = listed.has(id)
      listed.add(id)
      return !isOlder
    })
  }

  #isExcluded(facts: RowFacts): boolean {
    return this.#excluded.some((isWithin) => isWithin(facts))
  }

  /** Returns the sessions of a query, newest first. */
  #listed({
    limit = Number.POSITIVE_INFINITY,
    after,
    status,
    ...query
  }: SessionsQuery): readonly IndexedSession[] {
    const now = this.#facts.now()
    const isWanted = queryFilter(query, now)
    const newest = this.#newest()
    const start = after === undefined ? 0 : newest.findIndex(({ key }) => key === after.path) + 1
    const listed: IndexedSession[] = []
    for (let at = start; at < newest.length && listed.length < limit; at += 1) {
      const session = newest[at]
      if (!session || !isWanted(session.facts)) continue
      if (status === undefined || statusAt(session.facts, now)?.status === status) listed.push(session)
    }
    return listed
  }

  /** Returns the rows of sessions. */
  #rows(sessions: readonly IndexedSession[]): readonly SessionRow[] {
    const now = this.#facts.now()
    const keys = sessions.map(({ key }) => key)
    const rows = this.#sessions.kept.values('row', keys)
    return sessions.flatMap(({ key }) => {
      const row = rows.get(key)
      return row ? [rowAt(row, now)] : []
    })
  }

  async #search(
    text: string,
    {
      limit = Number.POSITIVE_INFINITY,
      each = Number.POSITIVE_INFINITY,
      after,
      view = (state) => state,
      ...filter
    }: SearchQuery,
  ): Promise<readonly FoundMatch[]> {
    const matches: FoundMatch[] = []
    const pattern = text.trim() === '' ? undefined : searchPattern(text)
    let isBehind = after === undefined
    const isPossible = pattern && sessionFilter(pattern)
    for (const session of this.#searched(pattern, filter)) {
      if (matches.length >= limit) break
      if (!isBehind && session.key !== after?.path) continue
      if (isPossible && !(await mayContain(session.key, isPossible))) continue
      const [row] = this.#rows([session])
      const read = row && (await readListedState(row))
      if (!read) continue
      const state = view(read)
      const { title } = state.session
      let count = 0
      for (const match of findMatches({ title, state }, pattern, filter)) {
        count += 1
        if (count > each || matches.length >= limit) break
        const shown = foundMatch({ ...row, ...(title !== undefined && { title }) }, match)
        if (isBehind) matches.push(shown)
        else isBehind = shown.block === after?.block && shown.kind === after?.kind
      }
      isBehind ||= row.path === after?.path
    }
    return matches
  }

  /** Returns the sessions that may have the words, and what the filter asks for. */
  #searched(pattern: SearchPattern | undefined, filter: MatchFilter): readonly IndexedSession[] {
    if (!pattern && isUnfiltered(filter)) return []
    const { tool, file = '', failed } = filter
    const { kept } = this.#sessions
    const hashes = wordHashes([...(pattern?.words ?? []), ...file.split(/\s+/)])
    const signatures = hashes.length > 0 ? kept.signatures(kept.entries.keys()) : undefined
    return this.#newest().filter(({ key, facts }) => {
      if (failed && !facts.hasFailures) return false
      if (tool !== undefined && !facts.tools.some((each) => isTool(each, tool))) return false
      const signature = signatures?.get(key)
      return !signature || mayHaveAll(signature, hashes)
    })
  }
}

/** Only a reading says what a session has whose files cannot be searched. */
async function mayContain(path: string, filter: (path: string) => Promise<boolean>): Promise<boolean> {
  return (await ifReadable(() => filter(path))) ?? true
}
