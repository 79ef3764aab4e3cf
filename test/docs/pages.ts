import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextAnchor } from '../../tools/site/markdown-html.ts'

export const ROOT: string = join(import.meta.dirname, '../..')

/** A page of the documentation, by its path from the root of the repository. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A fenced block of code. */
export interface Example {
  readonly page: string
  /** Counts the blocks of a page from 1. */
  readonly at: number
  readonly language: string
  /** The words after the language, such as `test` or `path=<file>`. */
  readonly options: readonly string[]
  readonly code: string
}

/** The pages at the top level, the skill, and every page of `docs/`. */
export const pages: readonly Page[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'llms.txt', 'skills/agentfold/SKILL.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort(),
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** Every block of TypeScript in the documentation. */
export const examples: readonly Example[] = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^```(tsx?)\b([^\n]*)\n(.*?)^```/gms)].map(
    ([, language = '', options = '', code = ''], at) => ({
      page: path,
      at: at + 1,
      language,
      options: options.split(' ').filter((option) => option !== ''),
      code,
    }),
  ),
)

/** Returns the texts of the headings. */
export function headingsIn(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
}

/** Returns the anchors that GitHub gives to the headings of a page. A repeated heading has a number. */
export function anchorsOf(headings: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => nextAnchor(heading, counts))
}

/** Returns a text without its fenced blocks of code. */
export function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '')
}

/** Returns the text of one page. Throws an `Error` if it does not exist. */
export function pageAt(path: string): string {
  const page = pages.find((candidate) => candidate.path === path)
  if (!page) throw new Error(`no page ${path}`)
  return page.text
}

/** Returns a new folder for the file of an example. It is in no folder that another test lists while it comes and goes. */
export function newExampleFolder(): string {
  return mkdtempSync(join(ROOT, '.example-'))
}
