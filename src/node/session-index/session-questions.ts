import { omitUndefined } from '../../core/json/fields.ts'
import type { Price } from '../../core/selectors/cost.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import type { MatchFilter, MatchKind, SearchMatch } from '../search.ts'
import type { UpdateOptions } from './index-updater.ts'
import type { SessionDetails } from './session-details.ts'
import type { SessionQuery, TimeLike } from './session-filter.ts'
import type { SessionRow } from './session-row.ts'
import type { Statistic, StatisticKey } from './statistics.ts'

/** Where an index is, and which sessions it has. */
export interface IndexOptions {
  /** The file of the index. The default is a file in the cache folder of the system. `false` keeps everything in memory. */
  readonly path?: string | false
  /** The person's home folder. With it, environment variables do not count. The default is the home folder of this process. */
  readonly home?: string
  /** Folders to search at any depth, in place of the programs' own. */
  readonly roots?: readonly string[]
  /** Folders whose sessions are in no answer: those that ran there, below it, or in its worktrees. */
  readonly exclude?: readonly string[]
  /** Returns the time in ms since the epoch. The default is `Date.now`. */
  readonly now?: () => number
}

/** A part of an answer. */
interface Page<After> {
  /** The greatest number of results. */
  readonly limit?: number
  /** The last result of the part before. */
  readonly after?: After
}

/** Which sessions to return. */
export interface SessionsQuery extends SessionQuery, Page<Pick<SessionRow, 'path'>> {}

/** Where to search, and how much to return. */
export interface SearchQuery extends MatchFilter, Page<Pick<FoundMatch, 'path' | 'block' | 'kind'>> {
  /** The greatest number of matches of one session. */
  readonly each?: number
  /** Returns the state that is searched, such as one without secrets. The default is the state itself. */
  readonly view?: (state: SessionConversationState) => SessionConversationState
}

/** What to sum up. */
export interface StatisticsQuery {
  readonly by: StatisticKey
  /** Counts from the day of that time on, in UTC. */
  readonly since?: TimeLike
  /** Counts up to the day of that time, in UTC. That day counts, unless the time is its midnight. */
  readonly until?: TimeLike
  readonly cwd?: string
  /** Returns the prices of a model, for sessions whose program states no cost. */
  readonly priceOf?: (model: string) => Price | undefined
}

/** A session with everything that the index knows of it. */
export interface SessionRecord extends SessionRow, SessionDetails {
  /** The last text of the model. It may be shortened. */
  readonly answer?: string
}

/** What an update has done. */
export interface UpdateResult {
  /** The number of files and sessions in databases that were read. */
  readonly read: number
  /** The number of those that are gone. */
  readonly removed: number
  /** False after an abort: the next update goes on. Answers then have what was read so far. */
  readonly isComplete: boolean
}

/** A list that comes later. `for await` reads it, too. */
export type Answer<Item> = Promise<readonly Item[]> & AsyncIterable<Item>

/** The sessions of this machine in one place. The first question brings it up to date; later ones answer from the last `update`. */
export interface SessionIndex {
  /** Reads what has changed, the newest sessions first. */
  update(options?: UpdateOptions): Promise<UpdateResult>
  /** Returns the sessions, newest first. */
  sessions(query?: SessionsQuery): Answer<SessionRow>
  /** Returns the number of sessions. */
  count(query?: SessionQuery): Promise<number>
  /** Returns the sessions with their parts, tools, calls, agents and changed files, newest first. */
  records(query?: SessionsQuery): Answer<SessionRecord>
  /** Returns the places with a text, the newest session first. An empty text finds each place that the filters leave. */
  search(text: string, query?: SearchQuery): Answer<FoundMatch>
  /** Yields the sessions that may have such places, the newest first. `readSession` and a look at its state decide. */
  candidates(text: string, filter?: MatchFilter): AsyncIterable<SessionRow>
  /** Yields the sessions with such places, the newest first, each with all of its places. */
  matches(text: string, filter?: MatchFilter): AsyncIterable<SessionMatches>
  /**
   * Reads a session, with the title of its row. Throws a `TranscriptError` if it cannot be read. Undefined if the machine
   * that has pushed it could not read it.
   */
  read(row: SessionSummary): Promise<SessionConversationState | undefined>
  /** Returns sums over the sessions. */
  stats(query: StatisticsQuery): Answer<Statistic>
  /** Yields each session that changes, as its new row. One that is gone has `isRemoved`. */
  watch(options?: {
    readonly signal?: AbortSignal
  }): AsyncIterable<SessionRow & { readonly isRemoved?: true }>
  /** Ends an update that runs. Resolves when nothing is written any more. A question after it rejects. */
  close(): Promise<void>
}

/** A session with the places that a search has found in it. */
export interface SessionMatches {
  readonly session: SessionSummary
  readonly matches: readonly SearchMatch[]
}

/** A place that a search has found. */
export interface FoundMatch {
  /** The id of the session. */
  readonly session: string
  /** The argument for `readSession`. */
  readonly path: string
  readonly format: SessionSummary['format']
  readonly title?: string
  /** The id of the block. Absent for a title and for the name of an agent. */
  readonly block?: string
  readonly kind: MatchKind
  /** The tool of a call. */
  readonly tool?: string
  /** The input of that call. */
  readonly input?: unknown
  /** Whether the call failed. */
  readonly failed?: true
  /** The exit code of the call's command. */
  readonly exit?: number
  readonly place: MatchPlace
  /** The text around the match, on one line or several. */
  readonly excerpt: string
}

/** The conversation and the time of a match. */
export interface MatchPlace {
  /** `'main'` or the `toolUseId` of an agent. */
  readonly conversationId: string
  /** The name or the description of the agent. Absent for main. */
  readonly agent?: string
  /** ISO 8601. */
  readonly timestamp?: string
}

/** Returns a match with its session. */
export function foundMatch(
  { id, path, format, title }: SessionSummary,
  { kind, blockId, call, failed, exit, conversationId, agent, timestamp, context }: SearchMatch,
): FoundMatch {
  return omitUndefined({
    ...{ session: id, path, format, title, block: blockId, kind },
    ...{ tool: call?.toolName, input: call?.input, failed, exit },
    place: omitUndefined({ conversationId, agent, timestamp }),
    excerpt: context.join(''),
  })
}
