import type { Token } from 'marked'

/** React draws a text by recursion, so a deep one overflows the stack. People nest at most a few dozen levels. */
const MAX_DEPTH = 100

/** Whether a text is nested too deep for the page. */
export function isTooDeep(tokens: readonly Token[]): boolean {
  let level = tokens
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) level = level.flatMap(childrenOf)
  return level.length > 0
}

/** Returns the tokens within a token: the items of a list, or the parts of a paragraph. */
export function childrenOf(token: Token): readonly Token[] {
  if ('items' in token && Array.isArray(token.items)) return token.items
  return 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : []
}
