import { createHash } from 'node:crypto'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import type { Redact } from '../../../redaction/options.ts'
import { titleOf } from '../../list/summary-text.ts'
import type { ListedSession } from './listed-session.ts'
import type { SessionSource } from './session-source.ts'

interface IndexedSession {
  readonly id: string
  readonly summary: SessionSummary
}

/** The time for which a list is taken for the newest one, in ms. */
const KEPT_MS = 10_000

/** The sessions of this machine by ids that hide their places. Nothing else has an id, so nothing else can be opened. */
export class MachineSessions {
  readonly #source: SessionSource
  readonly #redact: Redact
  readonly #summaries = new Map<string, SessionSummary>()
  #last: { readonly at: number; readonly sessions: readonly IndexedSession[] } | undefined

  constructor(source: SessionSource, redact: Redact) {
    this.#source = source
    this.#redact = redact
  }

  /** Yields the sessions, newest first. A person who comes back to the list finds it at once. */
  async *sessions(): AsyncGenerator<IndexedSession, void> {
    if (this.#last && performance.now() - this.#last.at < KEPT_MS) return yield* this.#last.sessions
    const sessions: IndexedSession[] = []
    for await (const session of this.#withIds(this.#source.list())) {
      sessions.push(session)
      yield session
    }
    this.#last = { at: performance.now(), sessions }
  }

  /** Yields the sessions that may have a text, newest first. */
  matching(text: string): AsyncGenerator<IndexedSession, void> {
    return this.#withIds(this.#source.matching(text))
  }

  /** Reads a session. Undefined if it cannot be read. */
  read(session: SessionSummary): Promise<SessionConversationState | undefined> {
    return this.#source.read(session)
  }

  async *#withIds(sessions: AsyncIterable<SessionSummary>): AsyncGenerator<IndexedSession, void> {
    for await (const summary of sessions) yield { id: this.add(summary), summary }
  }

  /** Makes a session known, and returns its id. */
  add(summary: SessionSummary): string {
    const id = idOf(summary)
    this.#summaries.set(id, summary)
    return id
  }

  /** Returns a text as the browser shows it. */
  shown(text: string): string {
    return this.#redact(text)
  }

  /** Finds a session of the list. A page that was open before a restart may ask for one before anybody asks for the list. */
  async find(id: string): Promise<SessionSummary | undefined> {
    const known = this.#summaries.get(id)
    if (known) return known
    for await (const each of this.sessions()) if (each.id === id) return each.summary
    return undefined
  }

  /** Returns what the browser shows of a session. */
  listed(id: string, summary: SessionSummary): ListedSession {
    const { format, program = format, model, cwd, startedAt, updatedAt, costUsd, agents } = summary
    const redacted = (text: string | undefined) => (text === undefined ? undefined : this.#redact(text))
    return omitUndefined({
      ...{ id, title: this.#redact(titleOf(summary)), program: this.#redact(program) },
      ...{ model: redacted(model), cwd: redacted(cwd), startedAt, updatedAt, costUsd, agents },
    })
  }
}

/** The place of a session is its own, and the program's id is not: two files may have the same one. */
function idOf({ path }: SessionSummary): string {
  return createHash('sha256').update(path).digest('base64url').slice(0, ID_LENGTH)
}

const ID_LENGTH = 22

/** Whether a text may be an id of the list. */
export function isId(text: string): boolean {
  return /^[\w-]{22}$/.test(text)
}
