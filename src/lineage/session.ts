import { type ConversationIdentity, hashUserMessage, identifyConversation } from '../identity/conversation.ts'
import { known } from '../state/known.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../state/session.ts'
import type { NewClaim } from './claim.ts'

/** A conversation of a session: who it is, and who started it. */
export interface IdentifiedConversation {
  /** `'main'` or the `toolUseId`. */
  readonly conversationId: string
  readonly agentId?: string
  readonly name?: string
  /** Null where the state does not tell. */
  readonly identity: ConversationIdentity | null
  /** `'main'` or a `toolUseId`; absent for main, and where it is not known. */
  readonly parentConversationId?: string
  readonly parentConversationHash: string | null
}

/** What a session does not tell of its agents. */
export interface IdentifySessionOptions {
  /** Of every agent, or by the agent's name; main has none. */
  readonly agentTypeHash: string | ((name: string | undefined) => string)
  /** What the person wrote first, where the stream does not carry it. */
  readonly firstUserText?: string
}

/** Returns every conversation of a session with its identity and its parent's, main first. */
export function identifySession(
  state: SessionConversationState,
  options: IdentifySessionOptions,
): readonly IdentifiedConversation[] {
  const identities = new Map([
    [MAIN, identityIn(state, MAIN, options)] as const,
    ...state.subagents.map(
      (each) => [each.toolUseId, identityIn(state, each.toolUseId, options, each.name)] as const,
    ),
  ])
  const hashOf = (id: string | undefined) => identities.get(id ?? '')?.conversationHash ?? null
  const main = { conversationId: MAIN, identity: identities.get(MAIN) ?? null, parentConversationHash: null }
  const others = state.subagents.map(({ toolUseId, agentId, name, parentConversationId }) =>
    known({
      conversationId: toolUseId,
      agentId,
      name,
      identity: identities.get(toolUseId) ?? null,
      parentConversationId,
      parentConversationHash: hashOf(parentConversationId),
    }),
  )
  return [main, ...others]
}

/**
 * Returns the claims that a session's calls of agents are, one for each subagent whose parent is known: a gateway that makes
 * them links the requests that it sees as the session does.
 */
export function sessionClaims(
  state: SessionConversationState,
  options: IdentifySessionOptions,
): readonly NewClaim[] {
  const hashes = new Map(
    identifySession(state, options).map(({ conversationId, identity }) => [
      conversationId,
      identity?.conversationHash,
    ]),
  )
  const names = new Map(state.subagents.map(({ toolUseId, name }) => [toolUseId, name]))
  return state.subagents.flatMap(({ toolUseId, parentConversationId, name, prompt }) => {
    if (parentConversationId === undefined) return []
    return [
      known({
        parentAgentId: parentConversationId,
        parentConversationHash: hashes.get(parentConversationId),
        parentAgentTypeHash: typeHash(options, names.get(parentConversationId)),
        expectedChildAgentName: name ?? 'unknown',
        promptHash: prompt === undefined ? undefined : hashUserMessage(prompt),
        toolUseId,
      }),
    ]
  })
}

function identityIn(
  state: SessionConversationState,
  conversationId: string,
  options: IdentifySessionOptions,
  name?: SubagentState['name'],
): ConversationIdentity | null {
  const agentTypeHash = typeHash(options, name)
  const firstUserText = conversationId === MAIN ? options.firstUserText : undefined
  return identifyConversation(state, known({ agentTypeHash, conversationId, firstUserText }))
}

function typeHash({ agentTypeHash }: IdentifySessionOptions, name: string | undefined): string {
  return typeof agentTypeHash === 'string' ? agentTypeHash : agentTypeHash(name)
}
