import type { FirstMessages } from '../core/identity/first-response.ts'
import { type ConversationIdentity, checkOptionalText, checkText } from '../core/identity/hashes.ts'
import {
  type IdentifyOptions,
  identifyConversation as identify,
  identifyThread,
  parentFacts,
} from '../core/identity/identify.ts'
import { IdentityError } from '../core/identity/identity-error.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { asObject, isObject } from '../core/json/values.ts'
import {
  type ConversationThread,
  hasStateParts,
  MAIN,
  type SessionConversationState,
} from '../core/state/session.ts'
import { programOf } from '../programs/all.ts'

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

/**
 * Returns the identity of a conversation in a session, or null while the state does not contain the first prompt and
 * the whole first response. Some streams never contain main's first prompt.
 *
 * The first prompt is the first message of the user or of the parent. A newline joins its text parts. The first
 * response is the first text of the model's first message. It is empty if that message only called tools, or if that
 * message is empty and the last one; an empty message before others may have been withdrawn. A stream that is joined
 * after main's first turn looks like a session that begins there. The session's program is looked up by its name,
 * unless the options have its facts. Throws an `IdentityError` without a type hash, and for a wrong argument.
 */
export function identifyConversation(
  state: SessionConversationState,
  options: IdentifyOptions,
): ConversationIdentity | null {
  const { agentTypeHash, conversationId, program } = asObject(options)
  checkText(agentTypeHash, ['options', 'agentTypeHash'])
  checkOptionalText(conversationId, ['options', 'conversationId'])
  if (program !== undefined && program !== null && !isObject(program))
    throw new IdentityError('not-a-program', ['options', 'program'])
  checkSession(state, options)
  return identify(state, { ...options, program: options.program ?? firstMessagesOf(state) })
}

/** Throws an `IdentityError` for a value that is no state, and for a first text that is none. */
function checkSession(state: unknown, options: unknown): void {
  if (!hasStateParts(state)) throw new IdentityError('not-a-state', ['state'])
  checkOptionalText(asObject(options).firstUserText, ['options', 'firstUserText'])
}

/** Returns the facts of the session's program. A protocol that carried the session decides what the state shows. */
function firstMessagesOf({ session }: SessionConversationState): FirstMessages | undefined {
  return programOf(session.protocol ?? session.program)?.firstMessages
}
