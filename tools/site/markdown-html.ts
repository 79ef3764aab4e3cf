import { Marked, type Tokens } from 'marked'
import { type CodePart, highlight } from '../../src/cli/markdown/highlight.ts'

/** Where the links and images of a page lead. */
interface Links {
  readonly link: (target: string) => string
  readonly image: (target: string) => string
}

/** Returns the HTML of a page of the documentation. Headings have the anchors that GitHub gives them. */
export function markdownHtml(text: string, { link, image }: Links): string {
  const anchors = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }) {
        return `<h${depth} id="${nextAnchor(words, anchors)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(link(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text: words }) {
        return `<img src="${escapeHtml(image(href))}" alt="${escapeHtml(words)}">`
      },
      table(token) {
        return `<div class="table">${tableHtml(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`
      },
      code: codeHtml,
    },
  })
  return marked.parse(text, { async: false })
}

/** Returns the anchor that GitHub gives to a heading, and counts it. A repeated heading has a number. */
export function nextAnchor(heading: string, counts: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
  const count = counts.get(anchor) ?? 0
  counts.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

function tableHtml({ header, rows }: Tokens.Table, cellHtml: (cell: Tokens.TableCell) => string): string {
  const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${name}>${cellHtml(cell)}</${name}>`).join('')}</tr>`
  const body = rows.map((cells) => row(cells, 'td')).join('')
  return `<table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table>`
}

/** Words after the language of a fence are for tests. */
function codeHtml({ text, lang = '' }: Tokens.Code): string {
  const parts = highlight(text, lang.split(' ')[0]) ?? [{ text }]
  return `<pre tabindex="0"><code>${parts.map(partHtml).join('')}</code></pre>\n`
}

function partHtml({ text, kind }: CodePart): string {
  return kind === undefined ? escapeHtml(text) : `<span class="code-${kind}">${escapeHtml(text)}</span>`
}

/** Escapes a text for HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
