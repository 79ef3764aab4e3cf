import { shortSha256 } from './sha256.ts'

/**
 * Returns the hash of a tool set, 16 hex digits, whatever order the tools come in (RFC 00033). Throws a `RangeError` if a
 * name is empty or contains `|`: the names are joined with it, so two sets could share a hash.
 */
export function computeToolSetHash(tools: readonly { readonly name: string }[]): string {
  const names = tools.map(({ name }) => name).sort()
  const odd = names.find((name) => name === '' || name.includes('|'))
  if (odd === '') throw new RangeError('a tool name is empty: name the tool')
  if (odd !== undefined)
    throw new RangeError(`the tool name ${JSON.stringify(odd)} contains "|": rename the tool`)
  return shortSha256(names.join('|'))
}

/** Returns the hash of a kind of agent, 16 hex digits, from its system prompt's and its tool set's (RFC 00033). */
export function computeAgentTypeHash(systemPromptHash: string, toolSetHash: string): string {
  return shortSha256(systemPromptHash, toolSetHash)
}

/** Returns the hash of a system prompt, 16 hex digits; white space around it does not count, as with user messages. */
export function hashSystemPrompt(text: string): string {
  return shortSha256(text.trim())
}
