import type { Token, Tokens } from 'marked'
import { printable } from '../../redaction/printable.ts'
import type { Paint } from '../terminal/style.ts'

/** Returns the inline tokens of a paragraph as one text, with styles. Without colours, code keeps its backticks. */
export function inlineText(tokens: readonly Token[], paint: Paint): string {
  return tokens.map((token) => inlineToken(token, paint)).join('')
}

function inlineToken(token: Token, paint: Paint): string {
  switch (token.type) {
    case 'strong':
      return paint(nested(token, paint), 'bold')
    case 'em':
      return paint(nested(token, paint), 'italic')
    case 'del':
      return paint(nested(token, paint), 'strikethrough')
    case 'codespan':
      return codeSpan(textOf(token), paint)
    case 'br':
      return '\n'
    case 'link':
      return linkText(token, nested(token, paint), paint)
    case 'image':
      return linkText(token, `image: ${textOf(token)}`, paint)
    case 'escape':
      return textOf(token)
    case 'text':
      return isParent(token) ? nested(token, paint) : unescapeHtml(token.raw)
    default:
      // Raw HTML and tokens of newer versions stay as they were written.
      return token.raw
  }
}

function isParent(token: Token): token is Token & { readonly tokens: Token[] } {
  return 'tokens' in token && Array.isArray(token.tokens)
}

function nested(token: Token, paint: Paint): string {
  return isParent(token) ? inlineText(token.tokens, paint) : textOf(token)
}

/** The parser resolves some references to characters, which may be control characters. */
function textOf(token: Token): string {
  return printable('text' in token && typeof token.text === 'string' ? token.text : token.raw)
}

function codeSpan(code: string, paint: Paint): string {
  const styled = paint(code, 'cyan')
  // Without colours, nothing else marks it.
  return styled === code ? `\`${code}\`` : styled
}

function linkText(token: Token | Tokens.Link, label: string, paint: Paint): string {
  const href = printable('href' in token && typeof token.href === 'string' ? token.href : '')
  const isSame = textOf(token) === href || `mailto:${textOf(token)}` === href
  if (isSame || href === '') return paint(label, 'underline')
  return `${paint(label, 'underline')} ${paint(`(${href})`, 'dim')}`
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** Only these references are resolved: a numeric one could be a control character, or hide a text from a redaction. */
function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => NAMED[name] ?? '')
}
