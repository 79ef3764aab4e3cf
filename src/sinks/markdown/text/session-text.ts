import { firstLine } from '../../../core/selectors/session-title.ts'
import type { Redact } from '../../../redaction/options.ts'
import { printable, redactVisible, showControls } from '../../../redaction/printable.ts'
import { escapeHtml, escapeMarkdown, fence, inlineCode, oneLine, shorten } from './escape.ts'
import { safeProse } from './prose.ts'

/** The length of a heading or of a summary's part, in UTF-16 units. */
const SHORT = 80

interface SessionTextOptions {
  readonly redact: Redact
  readonly toolOutputLines: number
  /** Shows control characters as signs, in place of removing them. */
  readonly showsControls?: boolean | undefined
}

/** The only way of a session's text into the document: each function redacts the whole text first, and then shortens and escapes it. */
export class SessionText {
  readonly #redact: Redact
  readonly #outputLines: number
  readonly #showsControls: boolean

  constructor({ redact, toolOutputLines, showsControls = false }: SessionTextOptions) {
    this.#redact = redact
    this.#outputLines = toolOutputLines
    this.#showsControls = showsControls
  }

  /** Returns the redacted text. It is neither shortened nor escaped. */
  redacted(text: string): string {
    const redacted = redactVisible(text, this.#redact)
    return printable(this.#showsControls ? showControls(redacted) : redacted)
  }

  /** Returns the text in one short line. It is not escaped. */
  short(text: string, limit: number = SHORT): string {
    return oneLine(this.redacted(text), limit)
  }

  /** Returns the first line with words. It is not escaped. */
  first(text: string): string {
    return oneLine(firstLine(this.redacted(text)), SHORT)
  }

  /** Returns one line of Markdown. */
  inline(text: string, limit: number = SHORT): string {
    return escapeMarkdown(this.short(text, limit))
  }

  /** Returns one line as code. */
  code(text: string, limit: number = SHORT): string {
    return inlineCode(this.short(text, limit))
  }

  /** Returns a text that the model or a person wrote in Markdown. */
  prose(text: string, keepsLines: boolean = false): string {
    return safeProse(this.redacted(text), { keepsLines })
  }

  /** Returns the whole text as a block of code. */
  block(text: string, language: string = ''): string {
    return fence(this.redacted(text), language)
  }

  /** Returns the text of an output as a block of code that has at most the lines of the option. */
  output(text: string): string {
    return fence(shorten(this.redacted(text), this.#outputLines), '')
  }

  /** Returns a JSON value as text. It is redacted and not shortened. */
  json(value: unknown): string {
    return this.redacted(JSON.stringify(value, null, 2) ?? '')
  }
}

/** A part of a summary: one line of plain text, and how it looks. Empty parts are left out. */
export type Span = string | { readonly bold: string } | { readonly code: string }

/** Opens and closes collapsed parts, as HTML or as plain Markdown. */
export class Details {
  readonly #isHtml: boolean

  constructor(isHtml: boolean) {
    this.#isHtml = isHtml
  }

  /** Returns a whole collapsed part. */
  around(summary: readonly Span[], pieces: readonly string[]): string {
    return [this.open(summary), ...pieces.filter((piece) => piece !== ''), this.close()]
      .filter((piece) => piece !== '')
      .join('\n\n')
  }

  /** Returns the beginning of a collapsed part. A blank line after it makes the rest Markdown. */
  open(summary: readonly Span[]): string {
    const spans = summary.map(this.#isHtml ? spanInHtml : spanInMarkdown).filter((span) => span !== '')
    return this.#isHtml ? `<details>\n<summary>${spans.join(' ')}</summary>` : spans.join(' ')
  }

  /** Returns the end of a collapsed part. Without HTML, `end` says what ends. */
  close(end: readonly Span[] = []): string {
    return this.#isHtml ? '</details>' : end.map(spanInMarkdown).join(' ')
  }
}

function spanInHtml(span: Span): string {
  if (typeof span === 'string') return escapeHtml(span)
  if ('bold' in span) return span.bold === '' ? '' : `<b>${escapeHtml(span.bold)}</b>`
  return span.code === '' ? '' : `<code>${escapeHtml(span.code)}</code>`
}

function spanInMarkdown(span: Span): string {
  if (typeof span === 'string') return escapeMarkdown(span)
  if ('bold' in span) return span.bold === '' ? '' : `**${escapeMarkdown(span.bold)}**`
  return inlineCode(span.code)
}
