import { count, fields, isObject, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { MAIN } from '../../state/session.ts'
import type { KnownSession } from './memory.ts'
import type { Translation } from './translation.ts'

/**
 * The conversation that a session is: `'main'`, the call that started the subagent, or the session's own id while the call
 * is not known. Undefined for a session of another main: a server tells of all of them.
 */
export function conversationOf(sessionId: string, translation: Translation): string | undefined {
  const { mainSession, sessions, callIds } = translation.memory
  const session = sessions.get(sessionId)
  if (mainSession === undefined && session?.parentId === undefined) meetMain(sessionId, translation)
  if (sessionId === translation.memory.mainSession) return MAIN
  if (session?.isForeign === true) return undefined
  return callIds.get(sessionId) ?? sessionId
}

function meetMain(sessionId: string, translation: Translation): void {
  translation.remember({ mainSession: sessionId })
  translation.updateFacts({ id: sessionId, program: 'opencode' })
}

/** Where an event of a session belongs. */
export interface SessionPlace {
  readonly sessionId: string
  readonly conversationId: string
  readonly eventId?: string
}

/** What has been told of a session so far. */
export function sessionOf(sessionId: string, { memory }: Translation): KnownSession {
  const unknown = { id: sessionId, isTold: false, isForeign: false, nanoDollars: 0 }
  return memory.sessions.get(sessionId) ?? unknown
}

export function rememberSession(session: KnownSession, translation: Translation): void {
  translation.remember({ sessions: translation.memory.sessions.with(session.id, session) })
}

/** Learns what the program tells of a session itself: whether it is main, and who started it. */
export function learnSession(id: string, info: JsonObject, translation: Translation): void {
  const { mainSession, sessions } = translation.memory
  const before = sessionOf(id, translation)
  const parentId = text(info.parentID) ?? before.parentId
  const isOfAnother =
    parentId === undefined ? mainSession !== undefined : sessions.get(parentId)?.isForeign === true
  const isForeign = id !== mainSession && isOfAnother
  rememberSession(known({ ...before, parentId, isTold: true, isForeign }), translation)
}

/** What the program tells of a session is told of the whole where it is main. */
export function translateSession(place: SessionPlace, info: JsonObject, translation: Translation): void {
  const { sessionId, conversationId } = place
  addCost(sessionId, (count(info.cost) ?? 0) - costOf(sessionId, translation), translation)
  noteRevert(place, info, translation)
  if (conversationId === MAIN)
    translation.updateFacts(
      known({
        cwd: text(info.directory),
        version: text(info.version),
        model: text(fields(info.model).id),
      }),
    )
}

const NANO = 1e9

function costOf(sessionId: string, translation: Translation): number {
  return sessionOf(sessionId, translation).nanoDollars / NANO
}

/** The cost of a session is that of its subagents too. Where no session is told, its steps are summed. */
export function addCost(sessionId: string, dollars: number, translation: Translation): void {
  const session = sessionOf(sessionId, translation)
  const added = Math.round(dollars * NANO)
  if (added === 0) return
  const nanoDollars = translation.memory.nanoDollars + added
  rememberSession({ ...session, nanoDollars: session.nanoDollars + added }, translation)
  translation.remember({ nanoDollars })
  translation.updateFacts({ costUsd: nanoDollars / NANO })
}

/** Messages are reverted at once and removed with the next prompt; until then they can be had back. */
function noteRevert(
  { sessionId, conversationId }: SessionPlace,
  info: JsonObject,
  translation: Translation,
): void {
  const session = sessionOf(sessionId, translation)
  const revertedTo = isObject(info.revert) ? text(info.revert.messageID) : undefined
  if (revertedTo === session.revertedTo) return
  rememberSession({ ...session, revertedTo }, translation)
  if (session.revertedTo !== undefined)
    translation.emit({ type: 'block:removed', conversationId, blockId: revertId(session.revertedTo) })
  if (revertedTo !== undefined)
    translation.upsert(conversationId, {
      type: 'system',
      id: revertId(revertedTo),
      status: 'complete',
      subtype: 'revert',
      message: `Reverted to before message ${revertedTo}`,
      data: info.revert,
    })
}

function revertId(messageId: string): string {
  return `revert:${messageId}`
}

/**
 * Puts subagents whose call has not been met under their parent, as when their call was reverted: the sessions say whose
 * they are. Returns their ids.
 */
export function placeStrays(translation: Translation): readonly string[] {
  const { sessions, callIds, mainSession } = translation.memory
  const strays = sessions
    .values()
    .filter(({ id, isForeign }) => id !== mainSession && !isForeign && callIds.get(id) === undefined)
    .sort((left, right) => (left.id < right.id ? 1 : -1))
  for (const { id, parentId } of strays)
    if (parentId !== undefined)
      translation.emit(
        known({
          type: 'subagent:spawned' as const,
          conversationId: conversationOf(parentId, translation),
          toolUseId: id,
          prompt: '',
        }),
      )
  return strays.map(({ id }) => id)
}
