import type { SessionSummary } from '../../node/list/session-summary.ts'
import { findMatches, type MatchFilter, type SearchMatch } from '../../node/search.ts'
import { optionalPattern } from '../../node/search-pattern.ts'
import type { SessionMatches } from '../../node/session-index/session-questions.ts'
import { plural } from '../../sinks/markdown/text/values.ts'
import type { SessionReference } from '../indexed-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openListing, sessionFilter } from './file-listing.ts'
import { reportIssues } from './machine-index.ts'
import { readOwnState } from './whole-session.ts'

/** A text, and the folder to search. */
export interface SearchPlace {
  readonly text: string
  readonly folder: string | undefined
}

/** The sessions with matches, and how many were searched, in words. */
export interface SearchedSessions {
  readonly sessions: AsyncIterable<SessionMatches>
  readonly count: () => Promise<string>
  /** Reads one, if it is in no file of this machine. */
  readonly read?: ((session: SessionSummary) => SessionReference) | undefined
}

/** Searches the files of the sessions. */
export function matchesInFiles(
  { text, folder }: SearchPlace,
  filter: MatchFilter,
  terminal: Terminal,
): SearchedSessions {
  const pattern = optionalPattern(text)
  const onIssue = reportIssues(terminal)
  const { sessions, candidateCount } = openListing(folder, terminal, {
    onIssue,
    ...(pattern && { mayMatch: sessionFilter(pattern) }),
  })
  const find = async (session: SessionSummary) => {
    const { state } = await readOwnState(session.path, onIssue)
    return state ? [...findMatches({ title: session.title, state }, pattern, filter)] : []
  }
  // Only a reading of each file would show which ones hold a session.
  return {
    sessions: found(sessions, find),
    count: async () => `${plural(candidateCount(), 'file')} that may hold a session`,
  }
}

async function* found(
  sessions: AsyncIterable<SessionSummary>,
  find: (session: SessionSummary) => Promise<readonly SearchMatch[]>,
): AsyncGenerator<SessionMatches, void> {
  for await (const session of sessions) {
    const matches = await find(session)
    if (matches.length > 0) yield { session, matches }
  }
}
