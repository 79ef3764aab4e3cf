import type { Token, Tokens } from 'marked'
import { greatest } from '../../core/json/lists.ts'
import type { Paint, StyleName } from '../terminal/style.ts'
import { hang, widthOf, wrapWords } from '../terminal/wrap.ts'
import { highlight } from './highlight.ts'
import { inlineText } from './inline.ts'
import { tableLines } from './table.ts'
import { isToken, markdownTokens } from './tokens.ts'

/** The place that shows a text of Markdown. */
interface MarkdownPlace {
  /** In columns. */
  readonly width: number
  readonly paint: Paint
}

/** A quote or a list in a narrower space continues at the same place. In columns. */
const MIN_WIDTH = 16

/**
 * Returns the lines of a text of Markdown for a terminal. Lines wrap between words; code and long words stay whole.
 * The text must not contain control characters.
 */
export function renderMarkdown(text: string, place: MarkdownPlace): readonly string[] {
  const tokens = markdownTokens(text)
  return tokens ? blockLines(tokens, place) : wrapWords(text.trim(), place.width)
}

/** Returns the lines of several blocks, with a blank line between them. */
function blockLines(tokens: readonly Token[], place: MarkdownPlace): readonly string[] {
  const lines: string[] = []
  for (const token of tokens) {
    const own = tokenLines(token, place)
    if (own.length === 0) continue
    if (lines.length > 0 && !isTight(token)) lines.push('')
    for (const line of own) lines.push(line)
  }
  return lines
}

/** A text within a list item has no blank line before it. */
function isTight(token: Token): boolean {
  return token.type === 'text'
}

function tokenLines(token: Token, place: MarkdownPlace): readonly string[] {
  const { width, paint } = place
  if (isToken(token, 'heading')) return headingLines(token, place)
  if (isToken(token, 'code')) return codeLines(token, paint)
  if (isToken(token, 'table')) return tableLines(token, width, paint)
  if (isToken(token, 'list')) return listLines(token, place)
  if (isToken(token, 'blockquote')) return quoteLines(token, place)
  if (token.type === 'hr') return [paint('─'.repeat(Math.min(width, 20)), 'dim')]
  if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') return []
  if (token.type === 'html') return wrapWords(token.raw.trimEnd(), width)
  return wrapWords(inlineText([...childrenOf(token)], paint), width)
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [token]
}

/** The lines below the headings of the first levels: without colours, nothing else shows that they are headings. */
const RULES = ['', '═', '─']

function headingLines({ tokens, depth }: Tokens.Heading, { width, paint }: MarkdownPlace): readonly string[] {
  const lines = wrapWords(inlineText(tokens, paint), width)
  const rule = (RULES[depth] ?? '').repeat(Math.min(width, greatest(lines.map(widthOf))))
  return [...lines.map((line) => paint(line, 'bold')), ...(rule === '' ? [] : [paint(rule, 'dim')])]
}

/** Code does not wrap, so that a person can copy it. */
function codeLines({ text, lang }: Tokens.Code, paint: Paint): readonly string[] {
  const coloured = paintCode(text, lang, paint)
  return coloured.split('\n').map((line) => (line === '' ? '' : `  ${line}`))
}

function quoteLines({ tokens }: Tokens.Blockquote, place: MarkdownPlace): readonly string[] {
  const inner = { ...place, width: Math.max(MIN_WIDTH, place.width - 2) }
  const bar = place.paint('▎', 'dim')
  return blockLines(tokens, inner).map((line) => (line === '' ? bar : `${bar} ${line}`))
}

function listLines({ items, ordered, start, loose }: Tokens.List, place: MarkdownPlace): readonly string[] {
  const first = typeof start === 'number' ? start : 1
  const last = String(first + items.length - 1).length
  return items.flatMap((item, at) => {
    const number = `${first + at}. `.padStart(last + 2)
    const mark = item.task ? (item.checked ? '☑ ' : '☐ ') : ordered ? number : '• '
    const inner = { ...place, width: Math.max(MIN_WIDTH, place.width - mark.length) }
    const lines = blockLines(item.tokens, inner)
    const own = hang(place.paint(mark, 'dim'), lines.length === 0 ? [''] : tightLines(lines, loose))
    return loose && at > 0 ? ['', ...own] : own
  })
}

/** A tight list has no blank lines, except around code and within it. */
function tightLines(lines: readonly string[], isLoose: boolean): readonly string[] {
  return isLoose ? lines : lines.filter((line, at) => line !== '' || lines[at + 1]?.startsWith('  '))
}

/** The style of each kind of part. */
const STYLES: Readonly<Record<string, StyleName>> = {
  comment: 'dim',
  string: 'green',
  addition: 'green',
  deletion: 'red',
  number: 'yellow',
  meta: 'yellow',
  keyword: 'magenta',
  attr: 'cyan',
  title: 'cyan',
}

/** Paints the parts of a code. A code in an unknown language has one colour. */
export function paintCode(text: string, language: string | undefined, paint: Paint): string {
  const parts = highlight(text, /^[\w+#-]+/.exec(language ?? '')?.[0])
  if (!parts) return paint(text, 'yellow')
  return parts
    .map((part) => {
      const style = STYLES[part.kind ?? '']
      return style === undefined ? part.text : paint(part.text, style)
    })
    .join('')
}
