import type { Connection, Query } from './connection.ts'
import { SessionIndexError } from './index-error.ts'

/** Grows with each change of the tables, and of what is in them. */
const SCHEMA = 1

/** Any number that no other program is likely to lock. */
const LOCK = 4_672_201

/** Each change of a session gets the next revision. A row without facts is a session that was removed. */
const TABLES = [
  'create table if not exists agentfold_index (schema integer not null, epoch text not null, revision bigint not null)',
  `create table if not exists agentfold_sessions (
    key text primary key, origin text not null, machine text not null, id text not null, stamp text not null,
    revision bigint not null, facts text, "row" text, parts text, tools text, details text, signature bytea, state text)`,
  // A search looks at some bytes of a signature, and need not read the others.
  'alter table agentfold_sessions alter column signature set storage external',
  'create index if not exists agentfold_sessions_revision on agentfold_sessions (revision)',
  'create index if not exists agentfold_sessions_origin on agentfold_sessions (origin)',
] as const

/** The state of an index. */
export interface IndexRevision {
  /** Another one for an index that was removed and made anew. */
  readonly epoch: string
  readonly revision: number
}

/** Makes the tables if they are not there. */
export async function createTables(connection: Connection): Promise<void> {
  const [encoding] = await connection.query('show server_encoding')
  if (encoding?.server_encoding !== 'UTF8')
    throw new SessionIndexError(
      'wrong-encoding',
      `the database keeps ${encoding?.server_encoding}: make one with the encoding UTF8`,
      connection.place,
    )
  if (await hasTables(connection.query)) return
  await connection.transaction(async (query) => {
    // Machines that push at once make the tables once.
    await query('select pg_advisory_xact_lock($1)', [LOCK])
    if (await hasTables(query)) return
    for (const statement of TABLES) await query(statement)
    await query('insert into agentfold_index values ($1, $2, 0)', [SCHEMA, crypto.randomUUID()])
  })
}

async function hasTables(query: Query): Promise<boolean> {
  const [found] = await query("select to_regclass('agentfold_index') is not null as found")
  return found?.found === true
}

/** Returns the state of the index. Throws a `SessionIndexError` (`no-index`, `wrong-schema`). */
export async function readRevision({ query, place }: Connection): Promise<IndexRevision> {
  if (!(await hasTables(query)))
    throw new SessionIndexError(
      'no-index',
      'no index of agentfold: push sessions with agentfold index --to',
      place,
    )
  const [index] = await query('select schema, epoch, revision from agentfold_index')
  if (index?.schema !== SCHEMA)
    throw new SessionIndexError(
      'wrong-schema',
      `the index has schema ${index?.schema}, and this version of agentfold reads schema ${SCHEMA}: ${
        Number(index?.schema) > SCHEMA
          ? 'update agentfold'
          : 'drop the tables agentfold_index and agentfold_sessions, and push again'
      }`,
      place,
    )
  return { epoch: String(index.epoch), revision: Number(index.revision) }
}

/**
 * Returns the next revision. The other machines wait until the transaction ends, so a reader that has seen a revision
 * has all before it.
 */
export async function nextRevision(query: Query): Promise<number> {
  const [index] = await query('update agentfold_index set revision = revision + 1 returning revision')
  return Number(index?.revision)
}
