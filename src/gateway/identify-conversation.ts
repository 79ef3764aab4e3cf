import type { FirstMessages } from '../core/identity/first-response.ts'
import { type ConversationIdentity, checkOptionalText, checkText } from '../core/identity/hashes.ts'
import { type IdentifyOptions, identifyConversation as identify } from '../core/identity/identify.ts'
import { IdentityError } from '../core/identity/identity-error.ts'
import { asObject, isObject } from '../core/json/values.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { hasStateParts } from '../core/state/state-parts.ts'
import { programOf } from '../programs/all.ts'

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
export function checkSession(state: unknown, options: unknown): void {
  if (!hasStateParts(state)) throw new IdentityError('not-a-state', ['state'])
  checkOptionalText(asObject(options).firstUserText, ['options', 'firstUserText'])
}

/** Returns the facts of the session's program. A protocol that carried the session decides what the state shows. */
export function firstMessagesOf({ session }: SessionConversationState): FirstMessages | undefined {
  return programOf(session.protocol ?? session.program)?.firstMessages
}
