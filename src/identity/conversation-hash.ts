import { shortSha256 } from './sha256.ts'

/** The hashes that identify a conversation (RFC 00033), 16 hex digits each. */
export interface ConversationIdentity {
  readonly agentTypeHash: string
  readonly firstUserMessageHash: string
  readonly firstAssistantResponseHash: string
  readonly conversationHash: string
}

/** Returns the hash of a conversation, 16 hex digits. It is known after the first response (RFC 00033). Throws a `TypeError` if a hash is not a string. */
export function computeConversationHash(
  agentTypeHash: string,
  firstUserMessageHash: string,
  firstAssistantResponseHash: string,
): string {
  return shortSha256(agentTypeHash, firstUserMessageHash, firstAssistantResponseHash)
}

/** The part of the first response that is hashed, in UTF-16 units. */
const RESPONSE_LENGTH = 500

/**
 * Returns the hash of a first response's text, 16 hex digits: trimmed, then its first 500 UTF-16 units (RFC 00033). If the cut
 * splits a surrogate pair, the first half hashes like U+FFFD.
 */
export function hashFirstAssistantResponse(text: string): string {
  return shortSha256(text.trim().slice(0, RESPONSE_LENGTH))
}

/** Returns the hash of a user message, 16 hex digits; white space around it does not count (RFC 00033). */
export function hashUserMessage(text: string): string {
  return shortSha256(text.trim())
}
