import { stripVTControlCharacters } from 'node:util'
import { renderMarkdown } from '../markdown/render.ts'
import { wrapWords } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** Returns the lines of a text that the model or a person wrote in Markdown. */
export function proseLines({ text, paint, redact }: View, words: string, width: number): readonly string[] {
  const lines = renderMarkdown(text.redacted(words), { width, paint })
  // Without its marks, a text may read as one that a redaction hides: `a\@b.example` is an address.
  const plain = stripVTControlCharacters(lines.join('\n'))
  const redacted = redact(plain)
  return redacted === plain ? lines : redacted.split('\n')
}

/** Returns the lines of a text as it was typed. */
export function typedLines({ text }: View, words: string, width: number): readonly string[] {
  return wrapWords(text.redacted(words).replace(/^\n+/, '').trimEnd(), width)
}
