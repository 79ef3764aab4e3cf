import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ShapeIssue } from '../../../core/json/check-shape.ts'
import { isObject, isString, parseJson } from '../../../core/json/values.ts'
import { restoreState } from '../../../core/state/restore-state.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import { redactVisible } from '../../../redaction/printable.ts'
import { redactAll } from '../../../redaction/redactions.ts'
import type { SessionSummary } from '../../list/session-summary.ts'
import type { EntryValues } from '../entry.ts'
import type { AskedColumn, EntrySource, ListedEntry } from '../entry-source.ts'
import type { IndexUpdate, UpdateOptions } from '../index-updater.ts'
import { OpenedIndex } from '../opened-index.ts'
import type { FolderFilter } from '../session-filter.ts'
import type { IndexOptions, SessionIndex } from '../session-questions.ts'
import type { KeptRow } from '../session-row.ts'
import { Connection } from './connection.ts'
import { SessionIndexError } from './index-error.ts'
import type { PushedFacts } from './pushed-session.ts'
import { type IndexRevision, readRevision } from './schema.ts'

interface PushedEntry extends ListedEntry {
  readonly head: { readonly changedAt: number; readonly facts: PushedFacts }
}

/** Keys in one statement. */
const KEYS_AT_ONCE = 20_000

const FOREIGN = 'another program, or another version of agentfold, has written it: skipped'

/** In ms. */
const POLL_MS = 2_000

/** The entries of several machines, in a database. Its facts are in memory, and an update reads those that have changed. */
class PostgresSource implements EntrySource {
  readonly #connection: Connection
  #entries = new Map<string, PushedEntry>()
  #revision: IndexRevision = { epoch: '', revision: 0 }

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get entries(): ReadonlyMap<string, PushedEntry> {
    return this.#entries
  }

  async update({ onIssue }: UpdateOptions = {}): Promise<IndexUpdate> {
    const now = await readRevision(this.#connection)
    const isSame = now.epoch === this.#revision.epoch && now.revision >= this.#revision.revision
    const from = isSame ? this.#revision.revision : 0
    const changed: string[] = []
    const removed: KeptRow[] = isSame ? [] : [...this.#entries].map(([key, entry]) => goneRow(key, entry))
    if (!isSame) this.#entries = new Map()
    const rows =
      now.revision > from
        ? await this.#connection.query(
            // A session that is pushed meanwhile has a later revision, and is read again with the next update.
            'select key, facts from agentfold_sessions where revision > $1 order by revision, key',
            [from],
          )
        : []
    for (const { key, facts } of rows) {
      const name = String(key)
      const known = this.#entries.get(name)
      this.#entries.delete(name)
      const read = typeof facts === 'string' ? parseJson(facts) : undefined
      if (isPushedFacts(read)) {
        this.#entries.set(name, { head: { changedAt: read.changedAt, facts: read } })
        changed.push(name)
      } else if (known) removed.push(goneRow(name, known))
      // A row without facts is a session that was removed.
      if (facts !== null && !isPushedFacts(read))
        onIssue?.({ code: 'unreadable', path: `${this.#connection.place}: ${name}`, reason: FOREIGN })
    }
    this.#revision = now
    return { read: rows.length, changed, removed, isComplete: true }
  }

  /** An update reads the whole of each change. */
  async areCurrent(): Promise<boolean> {
    return true
  }

  async values<Name extends AskedColumn>(
    name: Name,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, EntryValues[Name]>> {
    const found = new Map<string, EntryValues[Name]>()
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      const rows = await this.#connection.query(
        `select key, "${name}" as value from agentfold_sessions where key = any($1) and facts is not null`,
        [keys.slice(at, at + KEYS_AT_ONCE)],
      )
      for (const { key, value } of rows) {
        const read = typeof value === 'string' ? parseJson(value) : undefined
        if (isPushedValue(name, read)) found.set(String(key), read)
      }
    }
    return found
  }

  /** As `mayHaveAll`, where the signatures are. */
  async hashFilter(hashes: readonly number[]): Promise<(key: string) => boolean> {
    const rows = await this.#connection.query(
      `select key from agentfold_sessions where facts is not null and not exists (
        select from unnest($1::integer[]) as hash where (get_byte(substring(
          signature from ((hash >> 3) & (octet_length(signature) - 1)) + 1 for 1), 0) >> (hash & 7)) & 1 = 0)`,
      [hashes],
    )
    const keys = new Set(rows.map(({ key }) => String(key)))
    return (key) => keys.has(key)
  }

  searched(session: SessionSummary): Promise<SessionConversationState | undefined> {
    return this.state(session)
  }

  /** The paths of other machines are not those of this one, and home folders may be hidden in them. */
  folderFilter(folder: string): FolderFilter {
    const own = resolve(folder)
    const wanted = [folder, own, redactVisible(own, redactAll)].map(withSlashes)
    return ({ cwd, startedIn, inRepository = [] }) =>
      [cwd, startedIn, ...inRepository].some((each) => {
        const ran = each === undefined ? undefined : withSlashes(each)
        return ran !== undefined && wanted.some((name) => ran.startsWith(name))
      })
  }

  async state({ path, id }: SessionSummary): Promise<SessionConversationState | undefined> {
    const [found] = await this.#connection.query('select state from agentfold_sessions where key = $1', [
      path,
    ])
    if (typeof found?.state !== 'string') return undefined
    const issues: ShapeIssue[] = []
    const state = restoreState(parseJson(found.state), issues, ['state'])
    if (state) return state
    const message = `another version of agentfold has pushed the session ${id}: update agentfold`
    throw new SessionIndexError('wrong-schema', message, this.#connection.place)
  }

  async *changes(signal: AbortSignal): AsyncGenerator<void, void> {
    for (;;) {
      await delay(POLL_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const { epoch, revision } = await readRevision(this.#connection)
      if (epoch !== this.#revision.epoch || revision !== this.#revision.revision) yield
    }
  }

  discard(): void {
    this.#entries = new Map()
    this.#revision = { epoch: '', revision: 0 }
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** Returns what is known of a session that is gone. */
function goneRow(key: string, { head }: PushedEntry): KeptRow {
  const { changedAt: _changedAt, inRepository: _inRepository, ...facts } = head.facts
  return { ...facts, path: key, isProvisional: false }
}

/** Returns a folder with slashes alone, and one at its end. */
function withSlashes(folder: string): string {
  const path = folder.replaceAll('\\', '/')
  return path.endsWith('/') ? path : `${path}/`
}

const TEXTS = ['program', 'cwd', 'startedIn', 'updatedAt'] as const

/** Whether a value has the facts that the answers filter and sort by. Everybody who pushes can write any row. */
function isPushedFacts(value: unknown): value is PushedFacts {
  if (!isObject(value)) return false
  const { id, format, changedAt, tools, inRepository = [], ended, open, lastAt = 0 } = value
  const hasNames = isString(id) && isString(format) && isTexts(tools) && isTexts(inRepository)
  const hasTexts = TEXTS.every((name) => value[name] === undefined || isString(value[name]))
  const hasTimes = Number.isFinite(changedAt) && Number.isFinite(lastAt)
  return hasNames && hasTexts && hasTimes && isStatus(ended) && isStatus(open)
}

/** Whether a value of a session has the kind of its column. */
function isPushedValue<Name extends AskedColumn>(name: Name, value: unknown): value is EntryValues[Name] {
  if (name === 'parts' || name === 'tools') return Array.isArray(value) && value.every(isObject)
  if (!isObject(value)) return false
  if (name === 'row') return isString(value.id) && isString(value.path) && isTexts(value.tools)
  return [value.calls, value.subagents, value.files].every(Array.isArray)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString)
}

function isStatus(value: unknown): boolean {
  return value === undefined || (isObject(value) && isString(value.status))
}

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
