import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** The README and every page of `docs/`. */
export const pages: readonly Page[] = [
  'README.md',
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

/** Returns the text of one page. Throws an `Error` if it does not exist. */
export function pageAt(path: string): string {
  const page = pages.find((candidate) => candidate.path === path)
  if (!page) throw new Error(`no page ${path}`)
  return page.text
}
