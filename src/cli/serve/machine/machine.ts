import { timeInMs } from '../../../core/json/order.ts'
import { type SessionStatus, sessionStatus } from '../../../core/selectors/status.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import type { FetchHandler } from '../../../node/node-handler.ts'
import { readSession } from '../../../node/read/read-session.ts'
import { findMatches } from '../../../node/search/matches.ts'
import { searchPattern, sessionFilter } from '../../../node/search/pattern.ts'
import { ACTIVE_MS, continued, lastTime } from '../../../node/session-index/session-row.ts'
import { TranscriptError } from '../../../reading/input/combined.ts'
import type { Redact } from '../../../redaction/options.ts'
import { redactAll } from '../../../redaction/redactions.ts'
import { redactSession } from '../../../redaction/session.ts'
import { FollowedSessions } from './followed-sessions.ts'
import type { FoundSession, ListLine } from './listed-session.ts'
import { isId, MachineSessions } from './machine-sessions.ts'

/** An agent in the background may work for so long while the file of its session does not change. */
const LONGEST_WORK_MS = 24 * 60 * 60_000

/** The statuses of sessions. A session is read again after it has changed, and while its agents may work on. */
export class SessionStatuses {
  readonly #known = new Map<string, { readonly updatedAt: string; readonly state: EndedState }>()

  /** Returns the status at that time, in ms since the epoch. Undefined if the session cannot be read. */
  async statusOf(
    { path, updatedAt = '' }: Pick<SessionSummary, 'path' | 'updatedAt'>,
    now: number,
  ): Promise<SessionStatus | undefined> {
    const known = this.#known.get(path)
    const mayWork =
      known && known.state.openStatus !== known.state.status && now - known.state.lastAt < LONGEST_WORK_MS
    const state = known?.updatedAt === updatedAt && !mayWork ? known.state : await endedState(path)
    if (!state) return undefined
    this.#known.set(path, { updatedAt, state })
    const lastAt = Math.max(timeInMs(updatedAt) || 0, state.lastAt)
    return now - lastAt < ACTIVE_MS ? state.openStatus : state.status
  }
}

/** The facts that are kept of a state that was read to its end. */
interface EndedState {
  readonly status: SessionStatus
  /** The status if the turn and the agents go on that the end of the file stopped, and neither the program nor a person did. */
  readonly openStatus: SessionStatus
  /** The last time in a conversation of the session, in ms since the epoch. 0 if they have none. */
  readonly lastAt: number
}

async function endedState(path: string): Promise<EndedState | undefined> {
  try {
    const { state } = await readSession(path)
    return {
      status: sessionStatus(state),
      openStatus: sessionStatus(continued(state)),
      lastAt: lastTime(state),
    }
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

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
}

/** The first address of the list. Below it, each id is the address of a session. */
export const LIST = 'sessions/'

/** Whether the address shows the page: that of the list, or of a session in it. */
export function isMachinePage(path: string): boolean {
  return path === LIST || (path.startsWith(LIST) && isId(path.slice(LIST.length)))
}

/** The sessions of this machine for a browser: their list, the search in their texts, and the events of each one. */
export class Machine implements FetchHandler {
  readonly #index: MachineSessions
  readonly #followed: FollowedSessions
  readonly #statuses = new SessionStatuses()
  readonly #redact: Redact
  readonly #now: () => number

  constructor({ home, redact, signal, now = Date.now }: MachineOptions) {
    this.#redact = redact ? redactAll : (text) => text
    this.#index = new MachineSessions(home === undefined ? {} : { home }, this.#redact)
    this.#followed = new FollowedSessions({ redact, signal })
    this.#now = now
  }

  /** The address begins with the token. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, , name = '', id = '', ...rest] = pathname.split('/')
    if (rest.length > 0) return NOT_FOUND()
    if (name === 'events') return this.#events(request, id)
    if (id !== '') return NOT_FOUND()
    if (name === '') return new Response(null, { status: 302, headers: { location: LIST } })
    if (name === 'list') return jsonLines(this.#list())
    return name === 'search' ? this.#search(searchParams.get('text') ?? '') : NOT_FOUND()
  }

  async #events(request: Request, id: string): Promise<Response> {
    const session = isId(id) ? await this.#index.find(id) : undefined
    if (!session) return NOT_FOUND()
    try {
      return await this.#followed.answer(request, id, session)
    } catch (error) {
      // The file was removed or is broken. The page must not ask for ever.
      if (error instanceof TranscriptError) return NOT_FOUND()
      throw error
    }
  }

  /** The sessions come at once, and their statuses after them: a status needs the whole session. */
  async *#list(): AsyncGenerator<ListLine, void> {
    const all: Parameters<MachineSessions['listed']>[] = []
    for await (const { id, summary } of this.#index.sessions()) {
      all.push([id, summary])
      yield { session: this.#index.listed(id, summary) }
    }
    for (const [id, summary] of all) {
      const status = await this.#statuses.statusOf(summary, this.#now())
      if (status) yield { id, status }
    }
  }

  #search(text: string): Response {
    return text.trim() === '' ? NOT_FOUND() : jsonLines(this.#found(text))
  }

  /** A redacted session is searched as readers see it, so that a search tells nothing about hidden texts. */
  async *#found(text: string): AsyncGenerator<FoundSession, void> {
    const pattern = searchPattern(text)
    for await (const { id, summary } of this.#index.matching(sessionFilter(pattern))) {
      const state = await stateOf(summary.path)
      if (!state) continue
      const shown = this.#redact === redactAll ? redactSession(state, redactAll) : state
      const title = summary.title === undefined ? undefined : this.#redact(summary.title)
      const [first] = findMatches({ title, state: shown }, pattern)
      if (first) yield { id, context: first.context }
    }
  }
}

const NOT_FOUND = () => new Response(null, { status: 404 })

/** A session that cannot be read has no texts. */
async function stateOf(path: string) {
  try {
    return (await readSession(path)).state
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}
