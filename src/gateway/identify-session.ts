import { type ConversationIdentity, checkText } from '../core/identity/hashes.ts'
import { identifyThread, parentFacts } from '../core/identity/identify.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { asObject } from '../core/json/values.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../core/state/session.ts'
import { checkSession, firstMessagesOf } from './identify-conversation.ts'

/** A conversation of a session, with its identity and its parent. */
export interface IdentifiedConversation {
  /** `'main'` or the `toolUseId`. */
  readonly conversationId: string
  readonly agentId?: string
  readonly name?: string
  /** Null while the state does not contain the first prompt and the whole first response. */
  readonly identity: ConversationIdentity | null
  /** `'main'` or a `toolUseId`; absent for main, and while the parent is unknown. */
  readonly parentConversationId?: string
  readonly parentConversationHash: string | null
}

/** The options of `identifySession`. */
export interface IdentifySessionOptions {
  /** The type hash of every agent, or a function of the agent's name. Main has no name. */
  readonly agentTypeHash: string | ((name: string | undefined) => string)
  /** The user's first message, if the stream does not contain it. */
  readonly firstUserText?: string
}

/**
 * Returns every conversation of a session with its identity and its parent's, main first. Throws an `IdentityError`
 * for a wrong argument.
 */
export function identifySession(
  state: SessionConversationState,
  options: IdentifySessionOptions,
): readonly IdentifiedConversation[] {
  const { agentTypeHash } = asObject(options)
  if (typeof agentTypeHash !== 'function') checkText(agentTypeHash, ['options', 'agentTypeHash'])
  checkSession(state, options)
  const identities = identitiesIn(state, options)
  const hashOf = (id: string | undefined) =>
    (id === undefined ? undefined : identities.get(id)?.conversationHash) ?? null
  const main = { conversationId: MAIN, identity: identities.get(MAIN) ?? null, parentConversationHash: null }
  const others = state.subagents.map(({ toolUseId, agentId, name, parentConversationId }) =>
    omitUndefined({
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

function identitiesIn(
  state: SessionConversationState,
  options: IdentifySessionOptions,
): ReadonlyMap<string, ConversationIdentity | null> {
  const { subagents, ...main } = state
  const threads = new Map<string, ConversationThread>([
    ...subagents.map((subagent) => [subagent.toolUseId, subagent] as const),
    [MAIN, main],
  ])
  const program = firstMessagesOf(state)
  // Computed once for each parent, because a parent may have thousands of children.
  const facts = new Map<string, ReturnType<typeof parentFacts>>()
  const factsOf = (parentId: string | undefined): ReturnType<typeof parentFacts> => {
    if (parentId === undefined) return parentFacts(undefined)
    const found = facts.get(parentId) ?? parentFacts(threads.get(parentId))
    facts.set(parentId, found)
    return found
  }
  const { firstUserText } = options
  const mainOptions = omitUndefined({ agentTypeHash: agentTypeHashOf(options, undefined), firstUserText })
  return new Map([
    [MAIN, identifyThread(main, mainOptions, { ...parentFacts(undefined), program })],
    ...subagents.map((subagent) => {
      const context = { ...factsOf(subagent.parentConversationId), program }
      const agentTypeHash = agentTypeHashOf(options, subagent.name)
      return [subagent.toolUseId, identifyThread(subagent, { agentTypeHash }, context)] as const
    }),
  ])
}

/** Returns the type hash of the agent with this name. */
export function agentTypeHashOf({ agentTypeHash }: IdentifySessionOptions, name: string | undefined): string {
  return typeof agentTypeHash === 'string' ? agentTypeHash : agentTypeHash(name)
}
