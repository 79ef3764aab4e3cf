import type { FirstMessages } from '../core/identity/first-response.ts'
import { type ConversationIdentity, checkText } from '../core/identity/hashes.ts'
import { type IdentifyOptions, identifyConversation as identify } from '../core/identity/identify.ts'
import { asObject } from '../core/json/values.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { programOf } from '../programs/all.ts'

/**
 * Returns the identity of a conversation in a session, or null while the state does not contain the first prompt and
 * the whole first response. Some streams never contain main's first prompt.
 *
 * The first prompt is the first message of the user or of the parent. A newline joins its text parts. The first
 * response is the first text of the model's first message. It is empty if that message only called tools, or if that
 * message is empty and the last one; an empty message before others may have been withdrawn. A stream that is joined
 * after main's first turn looks like a session that begins there. The session's program is looked up by its name,
 * unless the options have its facts. Throws an `IdentityError` without a type hash.
 */
export function identifyConversation(
  state: SessionConversationState,
  options: IdentifyOptions,
): ConversationIdentity | null {
  checkText(asObject(options).agentTypeHash, ['options', 'agentTypeHash'])
  return identify(state, { ...options, program: options.program ?? firstMessagesOf(state) })
}

/** Returns the facts of the session's program. A protocol that carried the session decides what the state shows. */
export function firstMessagesOf({ session }: SessionConversationState): FirstMessages | undefined {
  return programOf(session.protocol ?? session.program)?.firstMessages
}
