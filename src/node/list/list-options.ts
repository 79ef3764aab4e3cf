import type { ListIssue } from './session-summary.ts'

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
