import { omitUndefined } from '../../core/json/fields.ts'
import { compareStrings, timeInMs } from '../../core/json/order.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { formatOf } from '../../wires/all.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import { readSession } from '../read/read-session.ts'
import { findMatches, isTool, isUnfiltered, type MatchFilter } from '../search/matches.ts'
import { type SearchPattern, searchPattern, sessionFilter } from '../search/pattern.ts'
import { changesOf } from './changes.ts'
import type { EntryHead } from './entry.ts'
import { type FoundMatch, foundMatch } from './found-match.ts'
import { indexPath } from './index-place.ts'
import { folderFilter, queryFilter, requiredTime } from './session-filter.ts'
import { IndexedSessions, type UpdateOptions } from './session-index.ts'
import type {
  Answer,
  IndexOptions,
  SearchQuery,
  SessionIndex,
  SessionRecord,
  SessionsQuery,
  StatisticsQuery,
  UpdateResult,
} from './session-questions.ts'
import { type KeptRow, rowAt, type SessionRow } from './session-row.ts'
import { type Statistic, statisticsOf } from './statistics.ts'
import { StoreOrMemory } from './store-or-memory.ts'
import { mayHaveAll, wordHashes } from './text-signature.ts'

/**
 * Opens the index of the sessions of this machine. It is a file in the cache folder of the system, and is made from
 * the sessions' files: it may be thrown away at any time. Its answers are those of the files. Without the optional
 * package `node-sqlite3-wasm`, and where the file cannot be written, the index is in memory.
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
  return new OpenedIndex(new IndexedSessions(scope, new StoreOrMemory(file), now), { ...scope, exclude, now })
}

interface IndexFacts {
  readonly home: string | undefined
  readonly roots: readonly string[] | undefined
  readonly exclude: readonly string[]
  readonly now: () => number
}

interface IndexedSession {
  readonly key: string
  readonly row: KeptRow
}

class OpenedIndex implements SessionIndex {
  readonly #sessions: IndexedSessions
  readonly #facts: IndexFacts
  readonly #excluded: readonly ReturnType<typeof folderFilter>[]
  #isUpdated = false
  /** One update or question at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(sessions: IndexedSessions, facts: IndexFacts) {
    this.#sessions = sessions
    this.#facts = facts
    this.#excluded = facts.exclude.map(folderFilter)
  }

  update(options?: UpdateOptions): Promise<UpdateResult> {
    return this.#inTurn(async () => {
      const { read, removed, isComplete } = await this.#sessions.update(options)
      this.#isUpdated = true
      return { read, removed: removed.length, isComplete }
    })
  }

  sessions(query: SessionsQuery = {}): Answer<SessionRow> {
    return this.#answer(async () => this.#rows(query).map(({ shown }) => shown))
  }

  records(query: SessionsQuery = {}): Answer<SessionRecord> {
    return this.#answer(async () => {
      const details = await this.#sessions.details()
      return this.#rows(query).flatMap(({ key, row: { answer }, shown }) => {
        const found = details.get(key)
        return found ? [{ ...shown, ...(answer !== undefined && { answer }), ...found }] : []
      })
    })
  }

  search(text: string, query: SearchQuery = {}): Answer<FoundMatch> {
    return this.#answer(() => this.#search(text, query))
  }

  async *candidates(text: string, filter: MatchFilter = {}): AsyncGenerator<SessionRow, void> {
    const pattern = text.trim() === '' ? undefined : searchPattern(text)
    const now = this.#facts.now()
    for (const row of await this.#answer(() => this.#searched(pattern, filter)))
      if (!pattern || (await mayContain(row.path, sessionFilter(pattern)))) yield rowAt(row, now)
  }

  stats({ by, since, cwd, priceOf }: StatisticsQuery): Answer<Statistic> {
    return this.#answer(async () => {
      const now = this.#facts.now()
      const from = since === undefined ? undefined : requiredTime(since, now, 'since')
      const isWanted = queryFilter({ cwd }, now)
      const details = await this.#sessions.details()
      const counted = this.#newest().flatMap(({ key, row }) => {
        const found = details.get(key)
        return found && isWanted(row) ? [{ row, details: found }] : []
      })
      const sinceDay = from === undefined ? undefined : new Date(from).toISOString().slice(0, 10)
      return statisticsOf(counted, { by, sinceDay, priceOf })
    })
  }

  async *watch({
    signal = new AbortController().signal,
  }: {
    readonly signal?: AbortSignal
  } = {}): AsyncGenerator<SessionRow & { readonly isRemoved?: true }, void> {
    await this.update()
    for await (const _ of changesOf(this.#facts, signal)) {
      const { changed, removed } = await this.#inTurn(() => this.#sessions.update({ signal }))
      for (const { row } of removed)
        if (row && !this.#isExcluded(row)) yield { ...rowAt(row, this.#facts.now()), isRemoved: true }
      for (const key of changed) {
        const row = this.#sessions.heads.get(key)?.row
        if (row && !this.#isExcluded(row)) yield rowAt(row, this.#facts.now())
      }
    }
  }

  close(): void {
    this.#sessions.close()
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(work, work)
    this.#last = next
    return next
  }

  #answer<Item>(ask: () => Promise<readonly Item[]>): Answer<Item> {
    const list = this.#inTurn(async () => {
      if (!this.#isUpdated) await this.#sessions.update()
      this.#isUpdated = true
      return ask()
    })
    return Object.assign(list, {
      async *[Symbol.asyncIterator]() {
        yield* await list
      },
    })
  }

  /** Returns the sessions, newest first. An older file of a session is none. */
  #newest(): readonly IndexedSession[] {
    const listed = new Set<string>()
    const all = [...this.#sessions.heads.values()].filter(hasRow).map((head) => ({
      ...{ key: head.key, row: head.row, changedAt: head.changedAt },
      time: timeInMs(head.row.updatedAt),
    }))
    all.sort(
      (left, right) =>
        right.time - left.time || right.changedAt - left.changedAt || compareStrings(left.key, right.key),
    )
    return all.filter(({ row }) => {
      const { id, format } = row
      if (this.#isExcluded(row)) return false
      if (!formatOf(format).storage.hasFilesOfOneId) return true
      const isOlder = listed.has(id)
      listed.add(id)
      return !isOlder
    })
  }

  #isExcluded(row: KeptRow): boolean {
    return this.#excluded.some((isWithin) => isWithin(row))
  }

  #rows({
    limit = Number.POSITIVE_INFINITY,
    after,
    status,
    ...query
  }: SessionsQuery): readonly (IndexedSession & { readonly shown: SessionRow })[] {
    const now = this.#facts.now()
    const isWanted = queryFilter(query, now)
    const newest = this.#newest()
    const start = after === undefined ? 0 : newest.findIndex(({ key }) => key === after.path) + 1
    const rows: (IndexedSession & { readonly shown: SessionRow })[] = []
    for (let at = start; at < newest.length && rows.length < limit; at += 1) {
      const session = newest[at]
      if (!session || !isWanted(session.row)) continue
      const shown = rowAt(session.row, now)
      if (status === undefined || shown.status === status) rows.push({ ...session, shown })
    }
    return rows
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
    for (const row of await this.#searched(pattern, filter)) {
      if (matches.length >= limit) break
      if (!isBehind && row.path !== after?.path) continue
      const read = await matchingState(row, pattern)
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
  async #searched(pattern: SearchPattern | undefined, filter: MatchFilter): Promise<readonly KeptRow[]> {
    if (!pattern && isUnfiltered(filter)) return []
    const { tool, file, failed } = filter
    const hashes = wordHashes([...(pattern?.words ?? []), ...(file?.split(/\s+/) ?? [])])
    const signatures = hashes.length > 0 ? await this.#sessions.signatures() : undefined
    return this.#newest().flatMap(({ key, row }) => {
      if (failed && !row.hasFailures) return []
      if (tool !== undefined && !row.tools.some((each) => isTool(each, tool))) return []
      const signature = signatures?.get(key)
      return !signature || mayHaveAll(signature, hashes) ? [row] : []
    })
  }
}

function hasRow(head: EntryHead): head is EntryHead & { readonly row: KeptRow } {
  return head.row !== undefined
}

/** Only a reading says what a session has whose files cannot be searched. */
async function mayContain(path: string, filter: (path: string) => Promise<boolean>): Promise<boolean> {
  try {
    return await filter(path)
  } catch (error) {
    if (error instanceof TranscriptError) return true
    throw error
  }
}

/**
 * Returns the state of a session that may match, with the title of its list. A session that cannot be read has no
 * texts: `show` says why.
 */
async function matchingState(
  { path, title }: SessionSummary,
  pattern: SearchPattern | undefined,
): Promise<SessionConversationState | undefined> {
  try {
    if (pattern && !(await sessionFilter(pattern)(path))) return undefined
    const { state } = await readSession(path)
    return { ...state, session: omitUndefined({ ...state.session, title }) }
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}
