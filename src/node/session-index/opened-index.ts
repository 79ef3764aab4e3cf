import { omitUndefined } from '../../core/json/fields.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { isTool } from '../../programs/tool-kind.ts'
import { ifReadable } from '../files/read-error.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import { findMatches, isUnfiltered, type MatchFilter, plainFile } from '../search.ts'
import { optionalPattern, type SearchPattern } from '../search-pattern.ts'
import { DamagedIndexError } from './entry.ts'
import { type EntrySource, type IndexedSession, newestFirst, viewed } from './entry-source.ts'
import type { IndexUpdate, UnseenChanges, UpdateOptions } from './index-updater.ts'
import {
  daysOf,
  type FolderFilter,
  levelOf,
  queryFilter,
  type SessionQuery,
  type UpdateLevel,
} from './session-filter.ts'
import {
  type Answer,
  type FoundMatch,
  foundMatch,
  type IndexOptions,
  type SearchQuery,
  type SessionIndex,
  type SessionMatches,
  type SessionRecord,
  type SessionsQuery,
  type StatisticsQuery,
  type UpdateResult,
} from './session-questions.ts'
import { type RowFacts, rowAt, type SessionRow, statusAt } from './session-row.ts'
import { type Statistic, statisticsOf } from './statistics.ts'
import { wordHashes } from './text-signature.ts'

/** Answers the questions about the entries of a source. */
export class OpenedIndex implements SessionIndex {
  readonly #source: EntrySource
  readonly #now: () => number
  readonly #excluded: readonly FolderFilter[]
  /** The files that the last update has looked at. */
  #level: UpdateLevel = 'nothing'
  /** The sessions since the last update. A list asks for them several times. */
  #sorted: readonly IndexedSession[] | undefined
  readonly #watching = new Set<UnseenChanges>()
  readonly #closing = new AbortController()
  /** One update or question at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(source: EntrySource, { exclude, now }: Required<Pick<IndexOptions, 'exclude' | 'now'>>) {
    this.#source = source
    this.#now = now
    this.#excluded = exclude.map((folder) => source.folderFilter(folder))
  }

  update(options?: UpdateOptions): Promise<UpdateResult> {
    return this.#inTurn(async () => {
      const { read, removed, isComplete } = await this.#update(options)
      return { read, removed: removed.length, isComplete }
    })
  }

  sessions(query: SessionsQuery = {}): Answer<SessionRow> {
    return this.#answer(async () => this.#rows(await this.#currentlyListed(query)), levelOf(query))
  }

  async count(query: SessionQuery = {}): Promise<number> {
    return (await this.#answer(async () => this.#listed(query), levelOf(query))).length
  }

  records(query: SessionsQuery = {}): Answer<SessionRecord> {
    return this.#answer(async () => {
      const source = this.#source
      const now = this.#now()
      const keys = this.#listed(query).map(({ key }) => key)
      const rows = await source.values('row', keys)
      const [parts, tools] = [await source.values('parts', keys), await source.values('tools', keys)]
      const details = await source.values('details', keys)
      return keys.flatMap((key) => {
        const row = rows.get(key)
        const [ownParts, ownTools, others] = [parts.get(key), tools.get(key), details.get(key)]
        if (!row || !ownParts || !ownTools || !others) return []
        const { answer } = row
        return [omitUndefined({ ...rowAt(row, now), answer, parts: ownParts, tools: ownTools, ...others })]
      })
    })
  }

  search(text: string, query: SearchQuery = {}): Answer<FoundMatch> {
    return this.#answer(() => this.#search(text, query))
  }

  async *candidates(text: string, filter: MatchFilter = {}): AsyncGenerator<SessionRow, void> {
    const pattern = optionalPattern(text)
    for (const session of await this.#answer(() => this.#searched(pattern, filter)))
      yield* await this.#answer(async () => {
        const [row] = await this.#rows([session])
        return row && (await this.#source.searched(row, pattern)) ? [row] : []
      })
  }

  async *matches(text: string, filter: MatchFilter = {}): AsyncGenerator<SessionMatches, void> {
    const pattern = optionalPattern(text)
    for (const found of await this.#answer(() => this.#searched(pattern, filter)))
      yield* await this.#answer(async () => {
        const [session] = await this.#rows([found])
        const state = session && (await ifReadable(() => this.#source.searched(session, pattern)))
        if (!state) return []
        const matches = [...findMatches({ title: session.title, state }, pattern, filter)]
        return matches.length > 0 ? [{ session, matches }] : []
      })
  }

  read(row: SessionSummary): Promise<SessionConversationState | undefined> {
    return this.#inTurn(() => this.#source.state(row))
  }

  stats({ by, since, until, cwd, priceOf }: StatisticsQuery): Answer<Statistic> {
    return this.#answer(async () => {
      const days = daysOf({ since, until }, this.#now())
      const listed = this.#listed({ cwd })
      const keys = listed.map(({ key }) => key)
      const parts = by === 'tool' ? undefined : await this.#source.values('parts', keys)
      const tools = by === 'tool' ? await this.#source.values('tools', keys) : undefined
      const counted = listed.map(({ key, facts }) => ({
        facts,
        parts: parts?.get(key) ?? [],
        tools: tools?.get(key) ?? [],
      }))
      return statisticsOf(counted, { by, ...days, priceOf })
    })
  }

  async *watch(
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionRow & { readonly isRemoved?: true }, void> {
    if (this.#level === 'nothing') await this.update()
    const signal = this.#untilClosed(options.signal)
    const news: UnseenChanges = { changed: new Set(), removed: [] }
    this.#watching.add(news)
    try {
      for await (const _ of this.#source.changes(signal)) {
        await this.#inTurn(() => this.#update({ signal }))
        const now = this.#now()
        for (const row of news.removed.splice(0))
          if (row && !this.#isExcluded(row)) yield { ...rowAt(row, now), isRemoved: true }
        yield* await this.#answer(async () => {
          const found = [...news.changed].flatMap((key) => {
            const facts = this.#source.entries.get(key)?.head.facts
            return facts && !this.#isExcluded(facts) ? [{ key, facts }] : []
          })
          news.changed.clear()
          return this.#rows(found)
        })
      }
    } finally {
      this.#watching.delete(news)
    }
  }

  close(): Promise<void> {
    this.#closing.abort()
    return this.#behindLast(() => this.#source.close())
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

  async #update(options?: UpdateOptions): Promise<IndexUpdate> {
    this.#level = options?.forList ? 'list' : 'all'
    const untilClosed = { ...options, signal: this.#untilClosed(options?.signal) }
    return this.#orAnew(() => this.#updateSource(untilClosed))
  }

  /** A damaged index is thrown away, and the work is done again with all sessions. */
  async #orAnew<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DamagedIndexError)) throw error
      this.#source.discard()
      await this.#updateSource()
      return work()
    }
  }

  /** An update that fails may have changed entries, too. */
  async #updateSource(options?: UpdateOptions): Promise<IndexUpdate> {
    try {
      const update = await this.#source.update(options)
      for (const { changed, removed } of this.#watching) {
        for (const key of update.changed) changed.add(key)
        for (const row of update.removed) removed.push(row)
      }
      return update
    } finally {
      this.#sorted = undefined
    }
  }

  #answer<Item>(
    ask: () => Promise<readonly Item[]>,
    needed: Exclude<UpdateLevel, 'nothing'> = 'all',
  ): Answer<Item> {
    const list = this.#inTurn(async () => {
      if (this.#level === 'nothing' || (this.#level === 'list' && needed === 'all'))
        await this.#update({ forList: needed === 'list' })
      return this.#orAnew(ask)
    })
    return Object.assign(list, {
      async *[Symbol.asyncIterator]() {
        yield* await list
      },
    })
  }

  #newest(): readonly IndexedSession[] {
    this.#sorted ??= newestFirst(this.#source.entries, (facts) => this.#isExcluded(facts))
    return this.#sorted
  }

  #isExcluded(facts: RowFacts): boolean {
    return this.#excluded.some((isWithin) => isWithin(facts))
  }

  /** Returns the sessions of a query, newest first. After a look for a list, it looks at the other files of these sessions. */
  async #currentlyListed(query: SessionsQuery): Promise<readonly IndexedSession[]> {
    const listed = this.#listed(query)
    if (this.#level === 'all' || (await this.#source.areCurrent(listed.map(({ key }) => key)))) return listed
    await this.#update()
    return this.#listed(query)
  }

  /** Returns the sessions of a query, newest first. */
  #listed({
    limit = Number.POSITIVE_INFINITY,
    after,
    status,
    ...query
  }: SessionsQuery): readonly IndexedSession[] {
    const now = this.#now()
    const newest = this.#newest()
    const isUnasked = Object.values(query).every((each) => each === undefined)
    const isWanted = isUnasked
      ? () => true
      : queryFilter(query, now, (folder) => this.#source.folderFilter(folder))
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
  async #rows(sessions: readonly IndexedSession[]): Promise<readonly SessionRow[]> {
    const now = this.#now()
    const keys = sessions.map(({ key }) => key)
    const rows = await this.#source.values('row', keys)
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
      view,
      ...filter
    }: SearchQuery,
  ): Promise<readonly FoundMatch[]> {
    const matches: FoundMatch[] = []
    const pattern = optionalPattern(text)
    let isBehind = after === undefined
    for (const session of await this.#searched(pattern, filter)) {
      if (matches.length >= limit) break
      if (!isBehind && session.key !== after?.path) continue
      const [row] = await this.#rows([session])
      const searched = row && (await viewed(this.#source, { row, pattern, view }))
      if (!searched) continue
      const { title } = searched
      let count = 0
      for (const match of findMatches(searched, pattern, filter)) {
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
  async #searched(
    pattern: SearchPattern | undefined,
    filter: MatchFilter,
  ): Promise<readonly IndexedSession[]> {
    if (!pattern && isUnfiltered(filter)) return []
    const { tool, input = '', failed } = filter
    const words = `${plainFile(filter.file) ?? ''} ${input}`.split(/\s+/)
    const hashes = wordHashes([...(pattern?.words ?? []), ...words])
    const mayHaveAll = hashes.length > 0 ? await this.#source.hashFilter(hashes) : () => true
    return this.#newest().filter(({ key, facts }) => {
      if (failed && !facts.hasFailures) return false
      if (tool !== undefined && !facts.tools.some((each) => isTool(each, tool))) return false
      return mayHaveAll(key)
    })
  }
}
