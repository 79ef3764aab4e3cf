import { lexer, type Token } from 'marked'
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
