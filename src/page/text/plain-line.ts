import type { Token } from 'marked'
import { markdownTokens } from '../../cli/markdown/tokens.ts'
import { oneLine } from '../blocks/one-line.ts'
import { childrenOf } from './token-depth.ts'

/** A preview has at most 160 characters, and marks are not among them. In UTF-16 units. */
const MOST_TEXT = 400

/** Returns the start of a Markdown text on one line, without its marks. */
export function plainLine(text: string): string {
  const start = text.slice(0, MOST_TEXT)
  return oneLine(markdownTokens(start)?.map(wordsOf).join(' ') ?? start)
}

function wordsOf(token: Token): string {
  const children = childrenOf(token)
  if (children.length > 0) return children.map(wordsOf).join(token.type === 'list' ? ' ' : '')
  return 'text' in token && typeof token.text === 'string' ? token.text : ''
}
