import type { Stats } from 'node:fs'
import type { SessionSummary } from './session-summary.ts'
import type { SummaryOptions } from './summarize-file.ts'

/** A session that is found. Its content is read later, and once. */
export interface Candidate {
  readonly path: string
  /** The argument for `readSession`: the path, or the place of the session in the database. */
  readonly key: string
  /** Of a file. */
  readonly stats?: Stats
  /** The name of the file without its ending, or the id in the database. Many files have the id in their name. */
  readonly name: string
  /** Whether the format keeps several files of a session. */
  readonly hasFurtherFiles: boolean
  /** Returns the time of the last change. */
  readonly updatedAt: () => Promise<string>
  readonly summarize: (onWhole?: SummaryOptions['onWhole']) => Promise<SessionSummary | undefined>
  /** Whether the summary may have that text: ASCII that no program escapes in JSON. It parses nothing. */
  readonly mayHave: (text: string) => Promise<boolean>
}
