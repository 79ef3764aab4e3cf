import { escapeHtml, escapeMarkdown, inlineCode } from './escape.ts'

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
