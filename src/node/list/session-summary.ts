import type { Architecture } from '../../programs/program.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { StoredTokens } from '../../wires/format.ts'
import { readError } from '../files/read-error.ts'

/** The facts about a session that the beginning and the end of its file state. Any other fact is absent. */
export interface SessionSummary {
  /** The session's id in its program. */
  readonly id: string
  /** The argument for `readSession` and `followSession`. */
  readonly path: string
  readonly format: Architecture
  /** The program that wrote the session, as in `session.program`. */
  readonly program?: string
  /** The title that the program or the person gave the session. */
  readonly title?: string
  /** The text of the person's first prompt. */
  readonly firstPrompt?: string
  /** The working folder. */
  readonly cwd?: string
  /** The working folder at the start, if it was another one. */
  readonly startedIn?: string
  /** ISO 8601 in UTC. */
  readonly startedAt?: string
  /** The last time in the session, or else that of the file's last change. ISO 8601 in UTC. Listings are in this order. */
  readonly updatedAt?: string
  /** The last model of main. */
  readonly model?: string
  /** The tokens of main, without those of its agents. Only a short file or a database says them. */
  readonly tokens?: StoredTokens
  /** Whether `tokens` has figures that a later report may replace. */
  readonly isProvisional?: boolean
  /** In US dollars. Absent if only the whole session says it. */
  readonly costUsd?: number
  /** The number of subagents at any depth. Absent if only the whole session says it. */
  readonly agents?: number
}

/** A problem of a listing. The other sessions are listed. */
export interface ListIssue {
  /**
   * - `unreadable`: the system refuses to read a file or a folder, or a link leads to nothing
   * - `not-a-transcript`: a file at the place of a session holds none: it ends within its first line, or is no JSON
   * - `no-database-reader`: the sessions are in a database, and this version of Node cannot read it
   */
  readonly code: 'unreadable' | 'not-a-transcript' | 'no-database-reader'
  readonly path: string
  readonly reason: string
}

/** Returns the problem of an error. An error names the file, folder or database that cannot be read, if it is not that of the path. */
export function listIssue(error: unknown, path: string): ListIssue {
  const { code, message, path: place = path } = readError(error)
  const reason = [place, path].reduce(
    (text, each) => (text.startsWith(`${each}: `) ? text.slice(each.length + 2) : text),
    message,
  )
  const isNamed = code === 'no-database-reader' || code === 'not-a-transcript'
  return { code: isNamed ? code : 'unreadable', path: place, reason }
}

/** Whether the error says that there is no session, although the ends of its file look like those of one. `show` finds none either. */
export function isNoSession(error: unknown): boolean {
  return error instanceof TranscriptError && error.code === 'not-a-transcript'
}

/** Which sessions to list. */
export interface ListOptions {
  /** The person's home folder. With it, environment variables do not count. The default is the home folder of this process. */
  readonly home?: string
  /** Folders to search at any depth, in place of the programs' own. */
  readonly roots?: readonly string[]
  /** The greatest number of sessions. */
  readonly limit?: number
  /** Ends the listing. */
  readonly signal?: AbortSignal
  /** Gets each file, folder or database that cannot be read. The listing skips it. */
  readonly onIssue?: (issue: ListIssue) => void
}
