import type { SessionSummary } from '../../node/list/session-summary.ts'
import { readSession } from '../../node/read/read-session.ts'
import {
  findMatches,
  type MatchFilter,
  optionalPattern,
  type SearchMatch,
  type SearchPattern,
} from '../../node/search.ts'
import { sessionFilter } from '../../node/search-files.ts'
import type { SessionMatches } from '../../node/session-index/session-questions.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { plural } from '../../sinks/markdown/text/values.ts'
import type { SessionReference } from '../indexed-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { openListing } from './file-listing.ts'

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
  const { sessions, candidateCount } = openListing(
    folder,
    terminal,
    pattern ? { mayMatch: sessionFilter(pattern) } : {},
  )
  const find = (session: SessionSummary) => matchesOf(session, { pattern, filter }, terminal)
  // Only a reading of each file would tell which ones hold a session: an agent may have a file of its own.
  return {
    sessions: found(sessions, find),
    count: async () => `about ${plural(candidateCount(), 'session')}`,
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

interface Question {
  readonly pattern: SearchPattern | undefined
  readonly filter: MatchFilter
}

/** Returns the matches of a session. A session that cannot be read is one line on standard error. */
async function matchesOf(
  session: SessionSummary,
  { pattern, filter }: Question,
  terminal: Terminal,
): Promise<readonly SearchMatch[]> {
  try {
    const { state } = await readSession(session.path)
    return [...findMatches({ title: session.title, state }, pattern, filter)]
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    terminal.writeError(`agentfold: ${oneLine(error.message)}\n`)
    return []
  }
}
