import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type ts from 'typescript'
import { nextAnchor } from '../markdown-html.ts'
import { declarationsOf } from './declaration.ts'
import { exported, type ReferencePage, ROOT, referencePages } from './entries.ts'
import { mentionedTypes } from './mentions.ts'

/** A row of a table that begins with a name in backticks. */
export const ROW: RegExp = /^\| `(\w+)` \| (.*) \|$/gm

const SIGNATURES = '## Signatures'
const UNEXPORTED = '## Types without an export'
const UNEXPORTED_NOTE = 'Signatures above name these types. A program cannot import them.'

/** The declarations that one page shows. */
interface Contents {
  /** The part that people write. */
  readonly overview: string
  /** The exports that no earlier page shows, in the order of the tables. */
  readonly own: readonly ts.Symbol[]
  /** Types that the signatures name, and that no entry point exports. */
  readonly unexported: readonly ts.Symbol[]
}

/** The page and the anchor of each declaration. */
const places = new Map<ts.Symbol, { readonly page: string; readonly anchor: string }>()
const contents = new Map<string, Contents>()
for (const { path, exports } of referencePages) {
  const found = contentsOf(readFileSync(join(ROOT, path), 'utf8').trimEnd(), exports)
  contents.set(path, found)
  for (const [symbol, anchor] of anchorsIn(found)) places.set(symbol, { page: path, anchor })
}

/**
 * Returns the text of a page by its path: the tables that people write, with links, and the signatures and comments of the
 * source. Undefined if the page is none of the reference.
 */
export function referencePage(path: string): string | undefined {
  const found = referencePages.find((each) => each.path === path)
  return found && wholePage(found)
}

function wholePage({ path: page, exports }: ReferencePage): string {
  const { overview = '', own = [], unexported = [] } = contents.get(page) ?? {}
  const parts = [
    overview.replace(ROW, (row, name: string, sentence: string) => {
      const symbol = exports.get(name)
      return symbol ? `| [\`${name}\`](${targetOf(symbol, page)}) | ${sentence} |` : row
    }),
    SIGNATURES,
    ...own.map(section),
  ]
  if (unexported.length > 0) parts.push(UNEXPORTED, UNEXPORTED_NOTE, ...unexported.map(section))
  parts.push(definitions([...own, ...unexported].flatMap(mentionsOf), page))
  return `${parts.join('\n\n').trimEnd()}\n`
}

function contentsOf(overview: string, exports: ReferencePage['exports']): Contents {
  const own = [...overview.matchAll(ROW)].flatMap(([, name = '']) => {
    const symbol = exports.get(name)
    return symbol && !places.has(symbol) ? symbol : []
  })
  return { overview, own, unexported: unexportedIn(own) }
}

/** Returns the types that the declarations name, and that no entry point exports and no earlier page shows. */
function unexportedIn(symbols: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const found = new Set<ts.Symbol>()
  const queue = [...symbols]
  for (const symbol of queue)
    for (const type of mentionsOf(symbol))
      if (!exported.has(type) && !places.has(type) && !found.has(type)) {
        found.add(type)
        queue.push(type)
      }
  return [...found]
}

/** Returns the declarations of a page, each with the anchor of its heading. */
function anchorsIn({ overview, own, unexported }: Contents): readonly (readonly [ts.Symbol, string])[] {
  const before = [...`${overview}\n\n${SIGNATURES}`.matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) => heading,
  )
  const sections: readonly (ts.Symbol | undefined)[] = [...own, undefined, ...unexported]
  const headings = sections.map((symbol) => symbol?.name ?? UNEXPORTED.slice('## '.length))
  const counts = new Map<string, number>()
  const anchors = [...before, ...headings].map((heading) => nextAnchor(heading, counts)).slice(before.length)
  return sections.flatMap((symbol, at) => (symbol ? [[symbol, anchors[at] ?? ''] as const] : []))
}

function section(symbol: ts.Symbol): string {
  const types = mentionsOf(symbol).map(({ name }) => `[\`${name}\`]`)
  return [
    `### ${symbol.name}`,
    ...declarationsOf(symbol).flatMap(({ description, text }) => [description, `\`\`\`ts\n${text}\n\`\`\``]),
    types.length > 0 ? `Types: ${types.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the targets of the links in the sections, which name a type alone. */
function definitions(types: readonly ts.Symbol[], page: string): string {
  const targets = new Map<string, string>()
  for (const type of types) {
    const target = targetOf(type, page)
    if ((targets.get(type.name) ?? target) !== target) throw new Error(`${page} needs two types ${type.name}`)
    targets.set(type.name, target)
  }
  return [...targets].map(([name, target]) => `[\`${name}\`]: ${target}`).join('\n')
}

function mentionsOf(symbol: ts.Symbol): readonly ts.Symbol[] {
  const types = mentionedTypes(declarationsOf(symbol).flatMap(({ nodes }) => nodes))
  return types.filter((type) => type !== symbol)
}

function targetOf(symbol: ts.Symbol, from: string): string {
  const place = places.get(symbol)
  if (!place) throw new Error(`no page shows ${symbol.name}`)
  return `${place.page === from ? '' : relative(dirname(from), place.page)}#${place.anchor}`
}
