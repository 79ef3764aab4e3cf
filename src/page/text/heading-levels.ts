import type { Token } from 'marked'
import { childrenOf } from './token-depth.ts'

/** The level of the first heading of a text. The page and its prompts have the levels above. */
const FIRST = 3
const LAST = 6

/** Returns the levels of the headings of a text. They follow those of the page, without gaps. */
export function headingLevels(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const levels = new Map<Token, number>()
  const above: number[] = []
  for (const token of headingsIn(tokens)) {
    const depth = 'depth' in token ? Number(token.depth) : 1
    while ((above.at(-1) ?? 0) >= depth) above.pop()
    above.push(depth)
    levels.set(token, Math.min(FIRST - 1 + above.length, LAST))
  }
  return levels
}

function headingsIn(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => (token.type === 'heading' ? [token] : headingsIn(childrenOf(token))))
}
