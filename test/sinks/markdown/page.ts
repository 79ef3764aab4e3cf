import { JSDOM } from 'jsdom'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

/** Returns what a program that runs raw HTML makes of a Markdown document. */
export function htmlOf(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
}

/** Returns the elements of a Markdown document as a browser shows them. */
export function pageOf(markdown: string): HTMLElement {
  return new JSDOM(htmlOf(markdown)).window.document.body
}

/** Returns the texts of all elements that the selector finds. */
export function textsOf(page: ParentNode, selector: string): readonly string[] {
  return [...page.querySelectorAll(selector)].map((element) => (element.textContent ?? '').trim())
}
