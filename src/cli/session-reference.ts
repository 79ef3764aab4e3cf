import { stat } from 'node:fs/promises'
import { timeInMs } from '../core/json/lists.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { sessionsAt, sessionsWithId } from '../node/list/list-sessions.ts'
import type { ListIssue, SessionSummary } from '../node/list/session-summary.ts'
import { continued, goesOnUntil } from '../node/session-index/kept-row.ts'
import type { SessionIndex } from '../node/session-index/session-questions.ts'
import { indexedReference, type SessionReference } from './indexed-reference.ts'
import { listingOptions } from './list/machine-index.ts'
import { titleOf as listedTitle } from './list/summary-text.ts'
import { InputError, type Terminal, UsageError } from './terminal/terminal.ts'
import { truncate } from './terminal/text.ts'

/**
 * Finds a session by its path, by its id, or by the beginning of its id. Throws an `InputError` if there is no such
 * session, or if several ids begin like that, and a `UsageError` for an empty name.
 */
export async function findReference(
  name: string,
  terminal: Pick<Terminal, 'home'>,
): Promise<SessionReference> {
  if (name === '') throw new UsageError('no session: pass an id or a path')
  if (name === '-' || (await isPath(name))) return { path: name }
  const unread: ListIssue[] = []
  const onIssue = (issue: ListIssue) => unread.push(issue)
  const found = await sessionsWithId(name, { ...listingOptions(terminal), onIssue })
  const [only] = found
  if (!only) throw noSession(name, unread)
  return referenceOf(onlyOf(found, name))
}

/** Finds a session of an index by its id, or by the beginning of its id. Its reading needs the index open. */
export async function findIndexed(name: string, index: SessionIndex): Promise<SessionReference> {
  const wanted = name.toLowerCase()
  const rows = await index.sessions()
  const exact = rows.filter(({ id }) => id.toLowerCase() === wanted)
  const found = exact.length > 0 ? exact : rows.filter(({ id }) => id.toLowerCase().startsWith(wanted))
  if (found.length === 0 || name === '') throw new InputError(`${name}: no session with that id in the index`)
  return indexedReference(onlyOf(found, name), index)
}

/** Returns the only one of the sessions whose id is the name or begins with it. */
function onlyOf<Session extends SessionSummary>(found: readonly Session[], name: string): Session {
  const [only] = found
  if (only && found.length === 1) return only
  const isOneId = found.every(({ id }) => id === only?.id)
  const names = found.slice(0, MAX_NAMED).map((each) => {
    const isAlone = found.filter(({ id }) => id === each.id).length === 1
    return isOneId ? each.path : isAlone ? namedId(each) : `${each.id} (${each.path})`
  })
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ''
  const reason = isOneId ? 'have that id: pass the path of one' : 'have an id that begins so'
  throw new InputError(`${name}: ${found.length} sessions ${reason}: ${names.join(', ')}${more}`)
}

/** Returns the title that the program or the person gave the session. A listing finds it at the ends of the session's file. */
export async function titleOf({ path, title }: SessionReference): Promise<string | undefined> {
  return title ?? (await listedAt(path))?.title
}

/** Returns what a listing knows of the session at a path. */
export async function listedAt(path: string): Promise<SessionSummary | undefined> {
  if (path === '-') return undefined
  const [only, ...others] = await sessionsAt([path])
  return others.length === 0 ? only : undefined
}

/** Returns the state with the status of a list: a turn or an agent without an end goes on for a while after a change. */
export function asListed(
  state: SessionConversationState,
  listed: Pick<SessionReference, 'updatedAt'> | undefined,
  { now = Date.now }: Pick<Terminal, 'now'>,
): SessionConversationState {
  const goesOn = listed && now() < goesOnUntil(state, timeInMs(listed.updatedAt) || 0)
  return goesOn ? continued(state) : state
}

/** Returns the state with the title that a listing knows. */
export function withTitle(
  state: SessionConversationState,
  title: string | undefined,
): SessionConversationState {
  return title === undefined || title === '' ? state : { ...state, session: { title, ...state.session } }
}

/** Returns the id with the title, or else the date. */
function namedId(session: SessionSummary): string {
  const { id, title, firstPrompt, updatedAt = '' } = session
  const name = (title ?? firstPrompt) ? truncate(listedTitle(session), MAX_NAME) : updatedAt.slice(0, 10)
  return name === '' ? id : `${id} (${name})`
}

const MAX_NAMED = 5

/** In characters. */
const MAX_NAME = 40

/** The session may be in a place that cannot be read. */
function noSession(name: string, unread: readonly ListIssue[]): InputError {
  const places = unread.slice(0, MAX_NAMED).map(({ path, reason }) => `${path}: ${reason}`)
  const more = unread.length > MAX_NAMED ? `; and ${unread.length - MAX_NAMED} more` : ''
  const rest = unread.length === 0 ? '' : `; not read: ${places.join('; ')}${more}`
  return new InputError(
    `${name}: no such file or folder, and no session with that id: run agentfold to see the sessions${rest}`,
  )
}

function referenceOf({ path, title }: SessionSummary): SessionReference {
  return title === undefined ? { path } : { path, title }
}

/** A path with a separator, a dot or bytes that are not UTF-8 is never an id, so its error is that of the file. */
async function isPath(name: string): Promise<boolean> {
  if (/[\\/.\ufffd]/.test(name)) return true
  try {
    await stat(name)
    return true
  } catch {
    return false
  }
}
