import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { compareStrings } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownSession, OpencodeMemory } from '../memory.ts'

/** Where an event of a session belongs. */
export interface SessionPlace {
  readonly sessionId: string
  readonly conversationId: string
  readonly eventId?: string
}

/** What has been told of a session so far. */
export function sessionOf(sessionId: string, { memory }: OpencodeContext): KnownSession {
  const unknown = { id: sessionId, isTold: false, isMet: false, hasCost: false, nanoDollars: 0 }
  return memory.sessions.get(sessionId) ?? unknown
}

export function rememberSession(session: KnownSession, translation: OpencodeContext): void {
  translation.remember({ sessions: translation.memory.sessions.with(session.id, session) })
}

/** Learns who started a session. The first one that nobody started is main. */
export function learnSession(id: string, { parentID }: JsonObject, translation: OpencodeContext): void {
  const before = sessionOf(id, translation)
  const parentId = asString(parentID) ?? before.parentId
  if (!before.isTold || parentId !== before.parentId)
    rememberSession(omitUndefined({ ...before, parentId, isTold: true }), translation)
  if (parentId === undefined && translation.memory.mainSession === undefined) makeMain(id, translation)
}

function makeMain(sessionId: string, translation: OpencodeContext): void {
  translation.remember({ mainSession: sessionId })
  translation.updateFacts(
    omitUndefined({ id: sessionId === NOBODY ? undefined : sessionId, program: 'opencode' }),
  )
}

/** A session that the input is not about, as another client of the same server has it. */
export const ELSEWHERE: unique symbol = Symbol('elsewhere')

/**
 * The conversation that a session is: `'main'`, the call that started the subagent, or the session's own id while the call
 * is not known. Undefined while nothing has told whose session it is.
 */
export function conversationOf(
  sessionId: string,
  memory: OpencodeMemory,
): string | typeof ELSEWHERE | undefined {
  const { mainSession, callIds } = memory
  if (sessionId === mainSession || (sessionId === NOBODY && mainSession !== undefined)) return MAIN
  const callId = callIds.get(sessionId)
  if (callId !== undefined) return callId
  const root = rootOf(sessionId, memory)
  if (root === undefined) return undefined
  return root === mainSession ? sessionId : ELSEWHERE
}

/** In place of the session where an event names none: what it says is said of the whole. */
export const NOBODY = ''

/** The session at the top of those that started each other, if all of them have been told. */
function rootOf(sessionId: string, { sessions, mainSession, callIds }: OpencodeMemory): string | undefined {
  const seen = new Set<string>()
  for (let id = sessionId; !seen.has(id); ) {
    if (id === mainSession || callIds.get(id) !== undefined) return mainSession
    seen.add(id)
    const session = sessions.get(id)
    if (session?.isTold !== true) return undefined
    if (session.parentId === undefined) return id
    id = session.parentId
  }
  return undefined
}

/** Where nothing told which session is main, it is the one above the first that was met. */
export function settleMain(met: string, translation: OpencodeContext): void {
  if (translation.memory.mainSession !== undefined) return
  const seen = new Set<string>()
  let top = met
  for (let id: string | undefined = met; id !== undefined && !seen.has(id); ) {
    seen.add(id)
    top = id
    id = sessionOf(id, translation).parentId
  }
  makeMain(top, translation)
}

/** A message of the session has been met: there is something of it to show. */
export function meetSession(sessionId: string, translation: OpencodeContext): void {
  const session = sessionOf(sessionId, translation)
  if (!session.isMet) rememberSession({ ...session, isMet: true }, translation)
}

/**
 * Puts subagents whose call has not been met under their parent, as when their call was reverted: the sessions say whose
 * they are. Returns their ids.
 */
export function placeStrays(translation: OpencodeContext): readonly string[] {
  const { sessions, callIds, mainSession } = translation.memory
  const strays = sessions
    .values()
    .filter(({ id, isMet }) => isMet && id !== mainSession && (callIds.get(id) ?? id) === id)
    .sort((left, right) => compareStrings(right.id, left.id))
  for (const { id, parentId } of strays) {
    const parent = parentId === undefined ? undefined : conversationOf(parentId, translation.memory)
    if (typeof parent === 'string')
      translation.emit({ type: 'subagent:spawned', conversationId: parent, toolUseId: id, prompt: '' })
  }
  return strays.map(({ id }) => id)
}
