import type { SessionConversationState } from '../../../core/state/session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import type { FetchHandler } from '../../../node/node-handler.ts'
import { findMatches, type SearchMatch } from '../../../node/search.ts'
import { type SearchPattern, searchPattern } from '../../../node/search-pattern.ts'
import { openSessionIndex } from '../../../node/session-index/open-session-index.ts'
import type { SessionIndex } from '../../../node/session-index/session-questions.ts'
import { STATISTIC_KEYS } from '../../../node/session-index/statistics.ts'
import { TranscriptError } from '../../../reading/input/combined.ts'
import type { Redact } from '../../../redaction/options.ts'
import { redactAll } from '../../../redaction/redactions.ts'
import { redactSession } from '../../../redaction/session.ts'
import { createSessionHub, type SessionHub } from '../../../server/hub/session-hub.ts'
import { FollowedWriter, SessionWriter } from '../session-writer.ts'
import { IndexedStates } from './indexed-states.ts'
import type { Costs, FoundSession } from './listed-session.ts'
import { LiveList } from './live-list.ts'
import { isId, MachineSessions } from './machine-sessions.ts'
import { fileSource, indexSource } from './session-source.ts'

/** Answers with one line of JSON for each value, as soon as it is there. The values end with the reader. */
function jsonLines(values: AsyncGenerator<unknown, void>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await values.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      cancel: async () => void (await values.return()),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } })
}

export interface MachineOptions {
  /** The person's home folder. The default is that of this process. */
  readonly home?: string | undefined
  /** Hides keys, passwords, addresses and home folders. */
  readonly redact?: true | undefined
  /** Ends the following of all sessions. */
  readonly signal: AbortSignal
  /** Returns the time in ms since the epoch. The default is `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Opens the index of the sessions. The default is that of the home folder. */
  readonly openIndex?: (() => Promise<SessionIndex>) | undefined
  /** Whether the sessions are those of that index alone, and in no file of this machine. */
  readonly isOfTeam?: boolean | undefined
}

/** The first address of the list. Below it, each id is the address of a session. */
export const LIST = 'sessions/'

/** The address of the costs. */
const COSTS = `${LIST}costs`

/** The address of two sessions side by side. */
const COMPARE = `${LIST}compare`

/** Whether the address shows the page: that of the list, of the costs, of a comparison, or of a session. */
export function isMachinePage(path: string): boolean {
  return [LIST, COSTS, COMPARE].includes(path) || (path.startsWith(LIST) && isId(path.slice(LIST.length)))
}

/** The sessions of this machine for a browser: their list, the search in their texts, and the events of each one. */
export class Machine implements FetchHandler {
  readonly #index: MachineSessions
  readonly #followed: Pick<FollowedSessions, 'answer' | 'close'>
  readonly #list: LiveList
  readonly #redact: Redact

  constructor({ home, redact, signal, now = Date.now, openIndex, isOfTeam = false }: MachineOptions) {
    this.#redact = redact ? redactAll : (text) => text
    const place = home === undefined ? {} : { home }
    const open = openIndex ?? (() => openSessionIndex({ ...place, now }))
    const source = isOfTeam ? indexSource(() => this.#list.index()) : fileSource(place)
    this.#index = new MachineSessions(source, this.#redact)
    this.#followed = isOfTeam
      ? new IndexedStates({ openIndex: open, shown: (state) => this.#shown(state), signal, now })
      : new FollowedSessions({ redact, signal, now })
    this.#list = new LiveList({ ids: this.#index, openIndex: open, signal, now })
  }

  /** Resolves when nothing reads or writes the index any more. */
  async close(): Promise<void> {
    await this.#list.close()
    await this.#followed.close()
  }

  #shown(state: SessionConversationState): SessionConversationState {
    return this.#redact === redactAll ? redactSession(state, redactAll) : state
  }

  /** Whether the address of a page is of something: the id of a session that was removed, or that never was, is of nothing. */
  async has(path: string): Promise<boolean> {
    const id = path.slice(LIST.length)
    return !isId(id) || (await this.#index.find(id)) !== undefined
  }

  /** The address begins with the token. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, , name = '', id = '', ...rest] = pathname.split('/')
    if (rest.length > 0) return NOT_FOUND()
    if (name === 'events') return this.#events(request, id)
    if (id !== '') return NOT_FOUND()
    if (name === '') return new Response(null, { status: 302, headers: { location: LIST } })
    if (name === 'list')
      return jsonLines(this.#list.lines({ isLive: searchParams.has('live'), signal: request.signal }))
    if (name === 'costs') return this.#costs(searchParams)
    return name === 'search' ? this.#search(searchParams.get('text') ?? '') : NOT_FOUND()
  }

  async #events(request: Request, id: string): Promise<Response> {
    const session = isId(id) ? await this.#index.find(id) : undefined
    if (!session) return NOT_FOUND()
    try {
      const answer = this.#followed.answer(request, id, session)
      this.#list.yieldTo(answer)
      return await answer
    } catch (error) {
      // The file was removed or is broken. The page must not ask for ever.
      if (error instanceof TranscriptError) return NOT_FOUND()
      throw error
    }
  }

  async #costs(query: URLSearchParams): Promise<Response> {
    const by = STATISTIC_KEYS.find((key) => key === query.get('by'))
    const since = query.get('since') ?? undefined
    if (by === undefined || (since !== undefined && !/^\d{1,5}d$/.test(since))) return NOT_FOUND()
    const index = await this.#list.indexForSums()
    const rows = await index.stats({ by, ...(since !== undefined && { since }) })
    const costs: Costs = {
      rows: rows.map((row) => ({ ...row, key: this.#redact(row.key) })),
      isPartial: this.#list.isGrowing,
    }
    return Response.json(costs)
  }

  #search(text: string): Response {
    return text.trim() === '' ? NOT_FOUND() : jsonLines(this.#found(text))
  }

  /** A redacted session is searched as readers see it, so that a search tells nothing about hidden texts. */
  async *#found(text: string): AsyncGenerator<FoundSession, void> {
    const pattern = searchPattern(text)
    for await (const { id, summary } of this.#index.matching(text)) {
      const state = await this.#index.read(summary)
      if (!state) continue
      const shown = this.#shown(state)
      const title = summary.title === undefined ? undefined : this.#redact(summary.title)
      const found = firstMatch({ title, state: shown }, pattern)
      if (found) yield { id, ...found }
    }
  }
}

/** Returns the first match, and the first block that has one: a page opens there. */
function firstMatch(
  session: Parameters<typeof findMatches>[0],
  pattern: SearchPattern,
): Omit<FoundSession, 'id'> | undefined {
  let first: SearchMatch | undefined
  for (const match of findMatches(session, pattern)) {
    first ??= match
    const { conversationId, blockId } = match
    if (blockId !== undefined) return { context: first.context, place: { conversationId, blockId } }
  }
  return first && { context: first.context }
}

const NOT_FOUND = () => new Response(null, { status: 404 })

/** A page that is loaded again, or left and opened again, finds its session ready. */
const LINGER_MS = 30_000

interface Followed {
  readonly stop: AbortController
  /** Resolves when readers get the session. */
  readonly isReady: Promise<unknown>
  readers: number
  linger: NodeJS.Timeout | undefined
}

interface FollowOptions {
  readonly redact: true | undefined
  /** Ends the following of all sessions. */
  readonly signal: AbortSignal
  /** Returns the time in ms since the epoch. */
  readonly now: () => number
}

/** Follows each session that somebody looks at, and no other. */
export class FollowedSessions {
  readonly #hub = createSessionHub()
  readonly #options: FollowOptions
  readonly #followed = new Map<string, Followed>()

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Answers with the events of a session. The last part of the address is the id. Rejects if the session cannot be read. */
  async answer(request: Request, id: string, session: SessionSummary): Promise<Response> {
    // Its reader has gone, and nobody would end the following.
    if (request.signal.aborted) return new Response()
    const followed = this.#followed.get(id) ?? this.#follow(id, session)
    clearTimeout(followed.linger)
    followed.readers += 1
    request.signal.addEventListener('abort', () => this.#leave(id, followed))
    await followed.isReady
    return this.#hub.fetch(request)
  }

  /** The signal of all sessions ends them. */
  async close(): Promise<void> {}

  #follow(id: string, summary: SessionSummary): Followed {
    const stop = new AbortController()
    const session = this.#writer(id, summary, AbortSignal.any([this.#options.signal, stop.signal]))
    const isReady = session.next()
    const followed: Followed = { stop, isReady, readers: 0, linger: undefined }
    this.#followed.set(id, followed)
    const publishAll = async () => {
      while (await session.next());
    }
    // A session that cannot be read any more has an end. Its readers keep what they have, and the next one follows it
    // anew.
    isReady.then(publishAll).catch(() => this.#forget(id, followed))
    return followed
  }

  #writer(id: string, { path, title, updatedAt }: SessionSummary, signal: AbortSignal): FollowedWriter {
    // The next reader may follow the session anew, and nothing of the old following may come between.
    const publish: SessionHub['publish'] = async (...update) =>
      signal.aborted ? 0 : this.#hub.publish(...update)
    const { redact, now } = this.#options
    const writer = new SessionWriter({ hub: { publish }, sessionId: id, title, redact })
    return new FollowedWriter(writer, { path, updatedAt, now, signal })
  }

  #leave(id: string, followed: Followed): void {
    followed.readers -= 1
    if (followed.readers === 0)
      followed.linger = setTimeout(() => this.#forget(id, followed), LINGER_MS).unref()
  }

  #forget(id: string, followed: Followed): void {
    followed.stop.abort()
    if (this.#followed.get(id) !== followed) return
    this.#followed.delete(id)
    void this.#hub.delete(id)
  }
}
