import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { overflowMessage } from '../../files/read-error.ts'
import { sessionPlaces } from '../../list/program-places.ts'
import type { ListIssue } from '../../list/session-summary.ts'
import { readListedState } from '../../read/read-session.ts'
import { DamagedIndexError, type EntryHead } from '../entry.ts'
import { VERSION } from '../index-blocks.ts'
import type { IndexUpdate } from '../index-updater.ts'
import { type LocalSource, openLocalSource } from '../local-source.ts'
import type { IndexOptions } from '../session-questions.ts'
import { Connection, type Query } from './connection.ts'
import { type PushedSession, placeHash, pushedKey, pushedSession } from './pushed-session.ts'
import { createTables, nextRevision, readRevision } from './schema.ts'

/** Which sessions to push, and how. */
export interface PushOptions extends IndexOptions {
  /** The name of this machine, which each of its sessions has. The default is the name of the host. */
  readonly machine?: string
  /** Pushes sessions as they are, with their secrets. The default hides what `redactAll` finds. */
  readonly whole?: boolean
  /** Removes the sessions of this machine whose files are gone, or that are excluded. The default keeps them. */
  readonly prune?: boolean
  /** Ends the push. Sessions that were pushed stay, and the next push goes on. */
  readonly signal?: AbortSignal
  /** Gets the number of sessions that were pushed, and of all that have changed. */
  readonly onProgress?: (pushed: number, all: number) => void
  /** Gets each file, folder or database that cannot be read. */
  readonly onIssue?: (issue: ListIssue) => void
}

/** What a push has done. */
export interface PushResult {
  readonly machine: string
  /** The number of sessions that are new or have changed. */
  readonly pushed: number
  /** The number of those that the database had. */
  readonly unchanged: number
  /** The number of those that were removed. */
  readonly removed: number
  /** True after an abort, or if a file or folder could not be read: sessions that seem to be gone stay then. */
  readonly isRemovalSkipped: boolean
  /** False after an abort. */
  readonly isComplete: boolean
}

/**
 * Pushes the sessions of this machine into an index in Postgres, each exactly once. A push that was interrupted goes on
 * with the next one. Throws a `SessionIndexError`.
 */
export async function pushSessions(address: string, options: PushOptions = {}): Promise<PushResult> {
  const connection = new Connection(address)
  const source = openLocalSource(options)
  try {
    await createTables(connection)
    await readRevision(connection)
    return await new Push(source, connection, options).run()
  } finally {
    await source.close()
    await connection.close()
  }
}

/** A session of this machine, and the stamp of what is pushed of it. */
interface OwnEntry {
  readonly path: string
  readonly key: string
  readonly stamp: string
  readonly changedAt: number
}

/** Sessions and characters in one transaction. */
const BATCH = 32
const BATCH_SIZE = 2 ** 22

class Push {
  readonly #source: LocalSource
  readonly #connection: Connection
  readonly #options: PushOptions
  readonly #machine: string
  /** Names the machine with its folders of sessions. Another home of the machine is another origin. */
  readonly #origin: string
  #hasIssues = false

  constructor(source: LocalSource, connection: Connection, options: PushOptions) {
    const { machine = hostname(), home, roots } = options
    this.#source = source
    this.#connection = connection
    this.#options = options
    this.#machine = machine
    this.#origin = placeHash(machine, JSON.stringify(roots ?? sessionPlaces(home)))
  }

  async run(): Promise<PushResult> {
    const { signal, onProgress } = this.#options
    const { isComplete } = await this.#update()
    const own = await this.#orAnew(async () => this.#ownEntries())
    const known = await this.#knownStamps()
    const changed = own.filter(({ key, stamp }) => known.get(key)?.stamp !== stamp)
    // A folder that cannot be read may have some of those that seem to be gone.
    const isRemovalSkipped = this.#hasIssues || !isComplete || signal?.aborted === true
    const removed = isRemovalSkipped ? 0 : await this.#remove(own, known)
    let pushed = 0
    for await (const batch of this.#batches(changed)) {
      await this.#write(batch)
      pushed += batch.length
      onProgress?.(pushed, changed.length)
    }
    return {
      ...{ machine: this.#machine, pushed, unchanged: own.length - changed.length, removed },
      isRemovalSkipped,
      isComplete: isComplete && pushed === changed.length,
    }
  }

  async #update(): Promise<IndexUpdate> {
    const { signal, onIssue } = this.#options
    return this.#orAnew(() =>
      this.#source.update({
        signal,
        onIssue: (issue) => {
          // A file without a session hides none.
          this.#hasIssues ||= issue.code !== 'not-a-transcript'
          onIssue?.(issue)
        },
      }),
    )
  }

  async #orAnew<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DamagedIndexError)) throw error
      this.#source.discard()
      await this.#source.update()
      return work()
    }
  }

  /** Returns the entries that are sessions of this machine, the newest last. */
  #ownEntries(): readonly OwnEntry[] {
    const { exclude = [], whole } = this.#options
    const excluded = exclude.map((folder) => this.#source.folderFilter(folder))
    const heads = [...this.#source.entries.values()].flatMap(({ head }) => {
      const { facts } = head
      return facts && !excluded.some((isWithin) => isWithin(facts)) ? [head] : []
    })
    const keys = heads.map(({ key }) => key)
    const [stamps, rows] = [this.#source.kept.values('stamps', keys), this.#source.kept.values('row', keys)]
    return heads.map((head) => ({
      ...{ path: head.key, key: pushedKey(this.#machine, head.key), changedAt: head.changedAt },
      stamp: stampOf(head, [whole === true, this.#origin, stamps.get(head.key), rows.get(head.key)]),
    }))
  }

  async #knownStamps(): Promise<ReadonlyMap<string, { readonly stamp: string; readonly id: string }>> {
    const rows = await this.#connection.query(
      'select key, stamp, id from agentfold_sessions where origin = $1 and facts is not null',
      [this.#origin],
    )
    return new Map(rows.map(({ key, stamp, id }) => [String(key), { stamp: String(stamp), id: String(id) }]))
  }

  /** Removes the sessions that have moved, and if the person says so those that are gone. */
  async #remove(
    own: readonly OwnEntry[],
    known: ReadonlyMap<string, { readonly id: string }>,
  ): Promise<number> {
    const keys = new Set(own.map(({ key }) => key))
    const ids = new Set(own.map(({ path }) => this.#source.entries.get(path)?.head.facts?.id))
    const gone = [...known].flatMap(([key, { id }]) =>
      !keys.has(key) && (this.#options.prune || ids.has(id)) ? [key] : [],
    )
    if (gone.length > 0)
      await this.#connection.transaction(async (query) => {
        const revision = await nextRevision(query)
        await query(REMOVE, [gone, revision])
      })
    return gone.length
  }

  async *#batches(changed: readonly OwnEntry[]): AsyncGenerator<readonly WrittenSession[], void> {
    let batch: WrittenSession[] = []
    let size = 0
    for (const { path, stamp, changedAt } of changed) {
      if (this.#options.signal?.aborted) break
      const session = await this.#read(path, changedAt)
      if (!session) continue
      batch.push({ ...session, stamp })
      size += session.state?.length ?? 0
      if (batch.length < BATCH && size < BATCH_SIZE) continue
      yield batch
      ;[batch, size] = [[], 0]
    }
    if (batch.length > 0) yield batch
  }

  async #read(path: string, changedAt: number): Promise<PushedSession | undefined> {
    const row = this.#source.kept.values('row', [path]).get(path)
    if (!row) return undefined
    const place = { machine: this.#machine, isWhole: this.#options.whole === true }
    const state = await readListedState(row)
    try {
      return pushedSession({ row, changedAt, state }, place)
    } catch (error) {
      const reason = overflowMessage(error)
      if (reason === undefined) throw error
      this.#options.onIssue?.({ code: 'unreadable', path, reason: `${reason}: pushed without its texts` })
      return pushedSession({ row, changedAt, state: undefined }, place)
    }
  }

  /** A batch is there whole, or not at all. */
  #write(batch: readonly WrittenSession[]): Promise<void> {
    return this.#connection.transaction(async (query) => {
      const revision = await nextRevision(query)
      for (const session of batch) await this.#upsert(query, session, revision)
    })
  }

  async #upsert(query: Query, session: WrittenSession, revision: number): Promise<void> {
    const { key, id, stamp, facts, row, parts, tools, details, signature, state } = session
    const place = [key, this.#origin, this.#machine, id, stamp, revision]
    await query(UPSERT, [...place, facts, row, parts, tools, details, Buffer.from(signature), state])
  }
}

type WrittenSession = PushedSession & { readonly stamp: string }

const VALUES = ['facts', '"row"', 'parts', 'tools', 'details', 'signature', 'state'] as const
const COLUMNS = ['key', 'origin', 'machine', 'id', 'stamp', 'revision', ...VALUES] as const

const UPSERT = `insert into agentfold_sessions (${COLUMNS.join(', ')})
  values (${COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})
  on conflict (key) do update set ${COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`

/** Nothing but the key is left, so that readers see that it is gone. */
const REMOVE = `update agentfold_sessions set revision = $2, stamp = '', id = '',
  ${VALUES.map((name) => `${name} = null`).join(', ')} where key = any($1)`

/** Returns a checksum of everything that decides what is pushed of a session. */
function stampOf({ guard, isRecent }: EntryHead, facts: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, guard, isRecent, ...facts]))
    .digest('base64url')
}
