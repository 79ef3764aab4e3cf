import { asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import type { Memory } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { OpencodeContext } from '../context.ts'
import { mainSession, NO_SESSION, noteSession, sessionNote } from '../place.ts'

/** The place of a session in the input. */
type SessionLocation =
  /** `'main'`, the call that started the subagent, or the session's own id while that call is not known. */
  | { readonly type: 'conversation'; readonly conversationId: string }
  /** Another session tree, such as one that another client of the same server started. */
  | { readonly type: 'other-session' }
  /** No event has connected the session to a tree yet. */
  | { readonly type: 'unknown' }

const IN_MAIN: SessionLocation = { type: 'conversation', conversationId: MAIN }
const OTHER_SESSION: SessionLocation = { type: 'other-session' }
const UNKNOWN: SessionLocation = { type: 'unknown' }

/** Returns the conversation of a session, as far as it is known. */
export function locateSession(sessionId: string, memory: Memory<OpencodeContext>): SessionLocation {
  const mainId = mainSession(memory)
  if (mainId === undefined) return UNKNOWN
  if (sessionId === mainId || sessionId === NO_SESSION) return IN_MAIN
  const conversationId = conversationOfAgent(sessionId, memory)
  if (conversationId !== undefined) return { type: 'conversation', conversationId }
  const root = findRootSession(sessionId, memory)
  if (root === undefined) return UNKNOWN
  return root === mainId ? { type: 'conversation', conversationId: sessionId } : OTHER_SESSION
}

/** Returns the conversation of an agent's session, if the agent has begun or its call names the session. */
function conversationOfAgent(sessionId: string, memory: Memory<OpencodeContext>): string | undefined {
  const { unlinkedAgents } = memory.notes.values
  const known = memory.state.findAgent(sessionId)?.toolUseId
  return known ?? (!unlinkedAgents.isEmpty && unlinkedAgents.get(sessionId) ? sessionId : undefined)
}

/** Returns the top session of a tree. A linked subagent's tree is the main one. */
function findRootSession(sessionId: string, memory: Memory<OpencodeContext>): string | undefined {
  const mainId = mainSession(memory)
  const visited = new Set<string>()
  for (let id = sessionId; !visited.has(id); ) {
    if (id === mainId || conversationOfAgent(id, memory) !== undefined) return mainId
    visited.add(id)
    const { parentId } = sessionNote(id, memory.notes.values)
    if (parentId === undefined) return undefined
    if (parentId === NO_PARENT) return id
    id = parentId
  }
  return undefined
}

const NO_PARENT = ''

/** Whether the top session of a session's tree is known. */
export function isTreeKnown(sessionId: string, memory: Memory<OpencodeContext>): boolean {
  return findRootSession(sessionId, memory) !== undefined
}

/** Remembers a session's parent, or that it has none. The state shows the place of main and of an agent whose call is known. */
export function registerSession(id: string, { parentID, title }: JsonObject, context: OpencodeContext): void {
  if (id === mainSession(context) || isLinked(id, context.state)) return
  const { parentId: before, title: titleBefore } = sessionNote(id, context.notes.values)
  // Only the title of an agent names it.
  if (typeof parentID === 'string' && typeof title === 'string' && title !== titleBefore)
    noteSession(id, { title }, context.notes)
  const parentId = asString(parentID) ?? before ?? NO_PARENT
  if (parentId === before) return
  noteSession(id, { parentId }, context.notes)
  if (parentId !== NO_PARENT && locateSession(id, context).type === 'unknown')
    context.notes.buffer('children', parentId, id)
  context.reveal(id)
}

function isLinked(sessionId: string, state: SessionLookups): boolean {
  const { toolUseId = sessionId } = state.findAgent(sessionId) ?? {}
  return toolUseId !== sessionId
}

/** Makes the top session of a session's tree the main one. Returns false if the top is not known, or a main session is. */
export function chooseMainTree(sessionId: string, context: OpencodeContext): boolean {
  if (mainSession(context) !== undefined) return false
  const root = findRootSession(sessionId, context)
  if (root !== undefined) setMainSession(root, context)
  return root !== undefined
}

/** Makes the highest known ancestor of a session the main session, if no main session is known. */
export function chooseMainSession(sessionId: string, context: OpencodeContext): void {
  if (mainSession(context) !== undefined) return
  const visited = new Set<string>()
  let top = sessionId
  for (let id = sessionId; id !== NO_PARENT && !visited.has(id); ) {
    visited.add(id)
    top = id
    id = sessionNote(id, context.notes.values).parentId ?? NO_PARENT
  }
  setMainSession(top, context)
}

function setMainSession(sessionId: string, context: OpencodeContext): void {
  context.revealAll()
  const id = sessionId === NO_SESSION ? undefined : sessionId
  if (id === undefined) context.notes.remember({ hasUnnamedMain: true })
  // An earlier event, or the database, may name a fork of OpenCode.
  const program = context.state.facts.program ?? opencode.names[0]
  context.updateFacts({ id, program })
  noteSession(sessionId, { parentId: undefined }, context.notes)
}
