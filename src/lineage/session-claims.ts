import { hashUserMessage } from '../identity/conversation.ts'
import { type IdentifySessionOptions, identifySession, typeHash } from '../identity/session.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import type { SessionConversationState } from '../state/session.ts'
import { type NewClaim, UNKNOWN_NAME } from './claim.ts'

/** What a session's claims need beside its identities. */
export interface SessionClaimsOptions extends IdentifySessionOptions {
  /** What the gateway calls a conversation's agent; its id in the session, such as `main`, where it is left out. */
  readonly agentIdOf?: (conversationId: string) => string
}

/**
 * Returns the claims that a session's calls of agents are, one for each subagent whose parent is known: a gateway that makes
 * them links the requests that it sees as the session does. One that sees several sessions needs `agentIdOf`.
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
        parentAgentTypeHash: typeHash(options, parent?.name),
        expectedChildAgentName: name ?? UNKNOWN_NAME,
        promptHash: prompt === undefined ? undefined : hashUserMessage(prompt),
        toolUseId,
      }),
    ]
  })
}
