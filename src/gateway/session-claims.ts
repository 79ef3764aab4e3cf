import { hashUserMessage } from '../core/identity/hashes.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { type NewClaim, UNKNOWN_NAME } from '../core/lineage/claims/claim.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { agentTypeHashOf, type IdentifySessionOptions, identifySession } from './identify-session.ts'

/** The options of `sessionClaims`. */
export interface SessionClaimsOptions extends IdentifySessionOptions {
  /** Returns the gateway's id of a conversation's agent. The default is the id in the session, such as `main`. */
  readonly agentIdOf?: (conversationId: string) => string
}

/**
 * Returns one claim for each subagent whose parent is known. A gateway that makes these claims links its requests as
 * the session does. A gateway that sees several sessions needs `agentIdOf`.
 */
export function sessionClaims(
  state: SessionConversationState,
  { agentIdOf = (conversationId) => conversationId, ...options }: SessionClaimsOptions,
): readonly NewClaim[] {
  const conversations = new Map(identifySession(state, options).map((each) => [each.conversationId, each]))
  return state.subagents.flatMap(({ toolUseId, parentConversationId, name, prompt }) => {
    if (parentConversationId === undefined) return []
    const parent = conversations.get(parentConversationId)
    return [
      omitUndefined({
        parentAgentId: agentIdOf(parentConversationId),
        parentConversationHash: parent?.identity?.conversationHash,
        parentAgentTypeHash: agentTypeHashOf(options, parent?.name),
        expectedChildAgentName: name ?? UNKNOWN_NAME,
        promptHash: prompt === undefined ? undefined : hashUserMessage(prompt),
        toolUseId,
      }),
    ]
  })
}
