import { OpenedIndex } from '../opened-index.ts'
import type { IndexOptions, SessionIndex } from '../session-questions.ts'
import { Connection } from './connection.ts'
import { PostgresSource } from './postgres-source.ts'

/**
 * Opens an index of several machines in Postgres, which `pushSessions` fills. It has the questions of
 * `openSessionIndex`. The `path` of a session is its key there: `read` reads it. Each question throws a
 * `SessionIndexError` if the database cannot be used. It needs the package `pg`.
 */
export async function openPostgresIndex(
  address: string,
  { exclude = [], now = Date.now }: Pick<IndexOptions, 'exclude' | 'now'> = {},
): Promise<SessionIndex> {
  return new OpenedIndex(new PostgresSource(new Connection(address)), { exclude, now })
}
