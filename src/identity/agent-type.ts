import { shortSha256 } from './sha256.ts'

/**
 * Returns the hash of a tool set, 16 hex digits. The order of the tools does not matter (RFC 00033). Throws a `RangeError` if a
 * name is empty or contains `|`. The RFC joins the names with `|`, so two sets could share a hash.
 */
export function computeToolSetHash(tools: readonly { readonly name: string }[]): string {
  const names = tools.map(({ name }) => name).sort()
  const invalid = names.find((name) => name === '' || name.includes('|'))
  if (invalid === '') throw new RangeError('a tool name is empty: name the tool')
  if (invalid !== undefined)
    throw new RangeError(`the tool name ${JSON.stringify(invalid)} contains "|": rename the tool`)
  return shortSha256(names.join('|'))
}

/** Returns the hash of an agent type, 16 hex digits, from the hashes of its system prompt and its tool set (RFC 00033). Throws a `TypeError` if a hash is not a string. */
export function computeAgentTypeHash(systemPromptHash: string, toolSetHash: string): string {
  return shortSha256(systemPromptHash, toolSetHash)
}

/** Returns the hash of a system prompt, 16 hex digits. White space around it does not count, as in `hashUserMessage`. */
export function hashSystemPrompt(text: string): string {
  return shortSha256(text.trim())
}
