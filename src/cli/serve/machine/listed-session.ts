import type { SessionStatus } from '../../../core/selectors/status.ts'

/** A session in the list of the browser. Its id says nothing about its place on the disk. */
export interface ListedSession {
  readonly id: string
  readonly title: string
  readonly program: string
  readonly model?: string
  readonly cwd?: string
  /** ISO 8601 in UTC. */
  readonly startedAt?: string
  readonly updatedAt?: string
  readonly costUsd?: number
  readonly agents?: number
}

/** A line of the list. The sessions come first, and the status of each one when it was read. A session that cannot be read has none. */
export type ListLine =
  | { readonly session: ListedSession }
  | { readonly id: string; readonly status: SessionStatus }

/** A session with the text that a person searches for, and the first place: the text before it, the text itself, and the text after it. */
export interface FoundSession {
  readonly id: string
  readonly context: readonly [before: string, match: string, after: string]
}
