import { sha256Hex } from '../json/sha256.ts'
import { IdentityError } from './identity-error.ts'

/** The hashes of RFC 00033 are the first 16 hex digits. */
const HASH_LENGTH = 16

/**
 * Returns the first 16 hex digits of the SHA-256 of the joined texts (RFC 00033). Throws an `IdentityError` with the
 * name of a value that is no text.
 */
function shortSha256(texts: Readonly<Record<string, string>>): string {
  // `join` makes a text of any value, so `undefined` would have a hash too.
  for (const [name, text] of Object.entries(texts)) checkText(text, [name])
  return sha256Hex(Object.values(texts).join('')).slice(0, HASH_LENGTH)
}

/** Throws an `IdentityError` with the path unless the value is a text. */
export function checkText(text: unknown, path: readonly (string | number)[]): void {
  if (typeof text !== 'string') throw new IdentityError('not-a-text', path)
}

/** Throws an `IdentityError` with the path unless the value is a text, null or absent. */
export function checkOptionalText(text: unknown, path: readonly (string | number)[]): void {
  if (text !== undefined && text !== null) checkText(text, path)
}

/**
 * Returns the hash of a tool set, 16 hex digits. The order of the tools does not matter (RFC 00033). Throws a
 * `RangeError` if a name is empty or contains `|`. The RFC joins the names with `|`, so two sets could share a hash.
 */
export function computeToolSetHash(tools: readonly { readonly name: string }[]): string {
  if (!Array.isArray(tools)) throw new IdentityError('not-a-tool', ['tools'])
  tools.forEach((tool: unknown, at) => {
    if (typeof tool !== 'object' || tool === null) throw new IdentityError('not-a-tool', ['tools', at])
    checkText('name' in tool ? tool.name : undefined, ['tools', at, 'name'])
  })
  const names = tools.map(({ name }) => name).sort()
  const invalid = names.find((name) => name === '' || name.includes('|'))
  if (invalid === '') throw new RangeError('a tool name is empty: name the tool')
  if (invalid !== undefined)
    throw new RangeError(`the tool name ${JSON.stringify(invalid)} contains "|": rename the tool`)
  return shortSha256({ tools: names.join('|') })
}

/**
 * Returns the hash of an agent type, 16 hex digits, from the hashes of its system prompt and its tool set (RFC 00033).
 * Throws an `IdentityError` if a hash is no text.
 */
export function computeAgentTypeHash(systemPromptHash: string, toolSetHash: string): string {
  return shortSha256({ systemPromptHash, toolSetHash })
}

/** Returns the hash of a system prompt, 16 hex digits. White space around it does not count, as in `hashUserMessage`. */
export function hashSystemPrompt(text: string): string {
  checkText(text, ['text'])
  return shortSha256({ text: text.trim() })
}

/** The hashes that identify a conversation (RFC 00033), 16 hex digits each. */
export interface ConversationIdentity {
  readonly agentTypeHash: string
  readonly firstUserMessageHash: string
  readonly firstAssistantResponseHash: string
  readonly conversationHash: string
  /**
   * False if the first response has no text, because it only calls tools. Then every conversation with this agent
   * type and this prompt has the same hash: compare the id of the session too. Two conversations with equal prompts
   * and equal first texts share a hash too, and it is true for both: no hash of these texts can tell them apart.
   */
  readonly isDistinct: boolean
}

/**
 * Returns the hash of a conversation, 16 hex digits. It is known after the first response (RFC 00033). Throws an
 * `IdentityError` if a hash is no text.
 */
export function computeConversationHash(
  agentTypeHash: string,
  firstUserMessageHash: string,
  firstAssistantResponseHash: string,
): string {
  return shortSha256({ agentTypeHash, firstUserMessageHash, firstAssistantResponseHash })
}

/** The part of the first response that is hashed, in UTF-16 units. */
const RESPONSE_LENGTH = 500

/**
 * Returns the hash of a first response's text, 16 hex digits: trimmed, then its first 500 UTF-16 units (RFC 00033).
 * If the cut splits a surrogate pair, the first half hashes like U+FFFD.
 */
export function hashFirstAssistantResponse(text: string): string {
  checkText(text, ['text'])
  return shortSha256({ text: text.trim().slice(0, RESPONSE_LENGTH) })
}

/** Returns the hash of a user message, 16 hex digits; white space around it does not count (RFC 00033). */
export function hashUserMessage(text: string): string {
  checkText(text, ['text'])
  return shortSha256({ text: text.trim() })
}
