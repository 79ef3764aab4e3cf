import { MAIN } from '../../../state/session.ts'

/**
 * Returns a block's id or a call's id for the whole session. Main's ids stay. Those of an agent follow its `toolUseId`, because a forked agent
 * repeats the ids of its parent. The client takes an empty id for none.
 */
export function sessionWideId(conversationId: string, id: string): string {
  return conversationId === MAIN && id !== '' ? id : `${conversationId}/${id}`
}

/** Returns the field of a message or event that names its agent. Main's have none. */
export function attribution(conversationId: string): { readonly subagentRunId?: string } {
  return conversationId === MAIN ? {} : { subagentRunId: conversationId }
}
