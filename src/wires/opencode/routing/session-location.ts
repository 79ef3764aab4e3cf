import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { OpencodeMemory } from '../memory.ts'
import { knownSession } from '../records/session.ts'

/** The session id of an event that names no session. Such an event belongs to the main session. */
export const NO_SESSION = ''

/** The place of a session in the input. */
type SessionLocation =
  /** `'main'`, the call that started the subagent, or the session's own id while that call is not known. */
  | { readonly type: 'conversation'; readonly conversationId: string }
  /** Another session tree, such as one that another client of the same server started. */
  | { readonly type: 'other-session' }
  /** No event has connected the session to a tree yet. */
  | { readonly type: 'unknown' }

const OTHER_SESSION: SessionLocation = { type: 'other-session' }
const UNKNOWN: SessionLocation = { type: 'unknown' }

/** Returns the conversation of a session, as far as it is known. */
export function locateSession(sessionId: string, memory: OpencodeMemory): SessionLocation {
  const { mainSessionId, callIdBySession } = memory
  if (sessionId === mainSessionId || (sessionId === NO_SESSION && mainSessionId !== undefined))
    return { type: 'conversation', conversationId: MAIN }
  const callId = callIdBySession.get(sessionId)
  if (callId !== undefined) return { type: 'conversation', conversationId: callId }
  const root = findRootSession(sessionId, memory)
  if (root === undefined || mainSessionId === undefined) return UNKNOWN
  return root === mainSessionId ? { type: 'conversation', conversationId: sessionId } : OTHER_SESSION
}

/** Returns the top session of a tree. A linked subagent's tree is the main one. */
function findRootSession(
  sessionId: string,
  { sessions, mainSessionId, callIdBySession }: OpencodeMemory,
): string | undefined {
  const visited = new Set<string>()
  for (let id = sessionId; !visited.has(id); ) {
    if (id === mainSessionId || callIdBySession.get(id) !== undefined) return mainSessionId
    visited.add(id)
    const session = sessions.get(id)
    if (session?.isOriginKnown !== true) return undefined
    if (session.parentId === undefined) return id
    id = session.parentId
  }
  return undefined
}

/** Whether the top session of a session's tree is known. */
export function isTreeKnown(sessionId: string, memory: OpencodeMemory): boolean {
  return findRootSession(sessionId, memory) !== undefined
}

/** Remembers a session's parent, or that it has none. */
export function registerSession(id: string, { parentID }: JsonObject, context: OpencodeContext): void {
  const before = knownSession(id, context)
  const parentId = asString(parentID) ?? before.parentId
  if (before.isOriginKnown && parentId === before.parentId) return
  Object.assign(context.ownSession(id), { parentId, isOriginKnown: true })
  context.reveal(id, parentId)
}

/** Makes the top session of a session's tree the main one. Returns false if the top is not known, or a main session is. */
export function chooseMainTree(sessionId: string, context: OpencodeContext): boolean {
  if (context.memory.mainSessionId !== undefined) return false
  const root = findRootSession(sessionId, context.memory)
  if (root !== undefined) setMainSession(root, context)
  return root !== undefined
}

/** Makes the highest known ancestor of a session the main session, if no main session is known. */
export function chooseMainSession(sessionId: string, context: OpencodeContext): void {
  if (context.memory.mainSessionId !== undefined) return
  const visited = new Set<string>()
  let top = sessionId
  for (let id: string | undefined = sessionId; id !== undefined && !visited.has(id); ) {
    visited.add(id)
    top = id
    id = knownSession(id, context).parentId
  }
  setMainSession(top, context)
}

function setMainSession(sessionId: string, context: OpencodeContext): void {
  context.remember({ mainSessionId: sessionId })
  context.revealAll()
  const id = sessionId === NO_SESSION ? undefined : sessionId
  // An earlier event, or the database, may name a fork of OpenCode.
  const program = context.facts.program ?? opencode.names[0]
  context.updateFacts(omitUndefined({ id, program }))
}
