import type { SessionProgress } from '../follow/progress.ts'
import type { ListIssue } from '../list/session-summary.ts'
import type { ContentGuard, SessionSources } from './file-stamps.ts'
import type { SessionDetails } from './session-details.ts'
import type { KeptRow } from './session-row.ts'
import type { TextSignature } from './text-signature.ts'

/** What an index knows of a file, or of a session in a database. */
export interface EntryHead {
  /** The path of the file, or the place in the database. */
  readonly key: string
  /** The time of the file's last change, in ms since the epoch. 0 for a session in a database. */
  readonly changedAt: number
  /** The stamp of the file. */
  readonly stamp: string
  /** Shows whether the file has only grown. */
  readonly guard: ContentGuard
  readonly sources: SessionSources
  /** A change so soon after the last one would leave the stamps as they are, so the session is read again. */
  readonly isRecent: boolean
  /** Absent if the file holds no session. */
  readonly row?: KeptRow
  /** Why it cannot be read. */
  readonly issue?: ListIssue
}

/** An entry with what a question may need of it. */
export interface Entry extends EntryHead {
  readonly details: SessionDetails
  readonly signature: TextSignature
  /** The place up to which the files are read. Absent for a session that was read once, and for whole files. */
  readonly progress?: SessionProgress
}
