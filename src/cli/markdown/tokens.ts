import { lexer, type Token, type Tokens } from 'marked'
import { overflowMessage } from '../../node/files/read-error.ts'
import { isCostlyMarkdown } from './costly.ts'

/** Returns the parts of a text of Markdown; undefined for one that may take too long to read, or is nested too deep. */
export function markdownTokens(text: string): readonly Token[] | undefined {
  if (isCostlyMarkdown(text)) return undefined
  try {
    return lexer(text)
  } catch (error) {
    if (overflowMessage(error) === undefined) throw error
    return undefined
  }
}

interface TokenTypes {
  readonly heading: Tokens.Heading
  readonly code: Tokens.Code
  readonly table: Tokens.Table
  readonly list: Tokens.List
  readonly blockquote: Tokens.Blockquote
  readonly paragraph: Tokens.Paragraph
  readonly text: Tokens.Text
}

/** The types of marked also have a generic token, so that a comparison of `type` alone decides nothing. */
export function isToken<Type extends keyof TokenTypes>(token: Token, type: Type): token is TokenTypes[Type] {
  return token.type === type
}
