import { MAIN } from '../../core/state/session.ts'

/** The place of a message, call or block: its conversation, and its own id there. */
export interface Place {
  readonly conversationId: string
  readonly id: string
}

/**
 * Returns a block's id or a call's id for the whole session. Main's ids stay. Those of an agent follow its
 * `toolUseId`, because a forked agent repeats the ids of its parent. The client takes an empty id for none.
 */
export function sessionWideId(conversationId: string, id: string): string {
  return conversationId === MAIN && id !== '' ? id : `${conversationId}/${id}`
}

/** Returns the field of a message or event that names its agent. Main's have none. */
export function attribution(conversationId: string): { readonly subagentRunId?: string } {
  return conversationId === MAIN ? {} : { subagentRunId: conversationId }
}

/** Returns a block's or call's own id from its id for the whole session. An id that `sessionWideId` has not made stays. */
export function ownId(conversationId: string, id: string): string {
  if (conversationId === MAIN) return id === sessionWideId(MAIN, '') ? '' : id
  const prefix = sessionWideId(conversationId, '')
  return id.startsWith(prefix) ? id.slice(prefix.length) : id
}

/** Returns the agent whose id stands before an id for the whole session. */
export function agentInId(id: string, isAgent: (agentId: string) => boolean): string | undefined {
  for (let at = id.indexOf('/'); at > 0; at = id.indexOf('/', at + 1))
    if (isAgent(id.slice(0, at))) return id.slice(0, at)
  return undefined
}

/** The name of the calls that start an agent. */
export const AGENT_CALL = 'agent'

/** The message of a failed agent that has no output. */
export const FAILED_AGENT = 'The agent failed.'

/** The name of the thread of a session whose id is not known. */
export const NO_SESSION = 'session'

/** The id of the only message that the client has after it forgets the others. */
export const PLACEHOLDER = 'agentfold:placeholder'
