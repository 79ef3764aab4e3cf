import { omitUndefined } from '../json/omit-undefined.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../state/session.ts'
import { type ConversationIdentity, callsIn, identifyThread } from './conversation.ts'

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
  { session: { program }, subagents, ...main }: SessionConversationState,
  options: IdentifySessionOptions,
): ReadonlyMap<string, ConversationIdentity | null> {
  const threads = new Map<string, ConversationThread>([
    ...subagents.map((subagent) => [subagent.toolUseId, subagent] as const),
    [MAIN, main],
  ])
  // Of each parent once: it may have thousands of children.
  const calls = new Map<string, ReturnType<typeof callsIn>>()
  const callsOf = (parentId: string | undefined): ReturnType<typeof callsIn> => {
    if (parentId === undefined) return callsIn(undefined)
    const found = calls.get(parentId) ?? callsIn(threads.get(parentId))
    calls.set(parentId, found)
    return found
  }
  const { firstUserText } = options
  const mainOptions = omitUndefined({ agentTypeHash: agentTypeHashOf(options, undefined), firstUserText })
  return new Map([
    [MAIN, identifyThread(main, mainOptions, { ...callsIn(undefined), program })],
    ...subagents.map((subagent) => {
      const place = { ...callsOf(subagent.parentConversationId), program }
      const agentTypeHash = agentTypeHashOf(options, subagent.name)
      return [subagent.toolUseId, identifyThread(subagent, { agentTypeHash }, place)] as const
    }),
  ])
}

/** The type of an agent, by its name. */
export function agentTypeHashOf({ agentTypeHash }: IdentifySessionOptions, name: string | undefined): string {
  return typeof agentTypeHash === 'string' ? agentTypeHash : agentTypeHash(name)
}
