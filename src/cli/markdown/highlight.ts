import { type Grammar, grammars } from './grammars.ts'

/** A part of a code. `kind` gives its colour; a part without a kind has none. */
export interface CodePart {
  readonly text: string
  readonly kind?: string
}

/** The names of the languages. Each also has other names. */
export const languages: readonly string[] = [...grammars.keys()]

const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['bash', ['sh', 'zsh', 'shell', 'console']],
  ['c', ['h', 'cc', 'cpp', 'hpp']],
  ['diff', ['patch']],
  ['go', ['golang']],
  ['json', ['jsonc', 'json5']],
  ['python', ['py']],
  ['ruby', ['rb']],
  ['rust', ['rs']],
  ['typescript', ['ts', 'tsx', 'mts', 'cts', 'javascript', 'js', 'jsx', 'mjs', 'cjs']],
  ['xml', ['html', 'xhtml', 'svg', 'plist', 'vue']],
  ['yaml', ['yml']],
])

const byName: ReadonlyMap<string, Grammar> = new Map(
  [...grammars].flatMap(([name, grammar]) =>
    [name, ...(ALIASES.get(name) ?? [])].map((each) => [each, grammar] as const),
  ),
)

/** Longer texts stay without colours, because each part is an element of the page. In UTF-16 units. */
const LONGEST = 20_000

/** Returns the parts of a code in their order; undefined for an unknown language, and for a long code. */
export function highlight(text: string, language: string | undefined): readonly CodePart[] | undefined {
  const grammar = byName.get(language?.toLowerCase() ?? '')
  if (!grammar || text.length > LONGEST) return undefined
  const parts: CodePart[] = []
  let end = 0
  for (const match of text.matchAll(grammar.pattern)) {
    const kind = kindOf(match, grammar, text)
    if (kind === undefined) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ text: match[0], kind })
    end = match.index + match[0].length
  }
  return end === text.length ? parts : [...parts, { text: text.slice(end) }]
}

/** A word is a keyword, or the name of a called function, or it has no colour. */
function kindOf(match: RegExpExecArray, { keywords, isCaseless }: Grammar, text: string): string | undefined {
  const [word] = match
  const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0]
  if (kind !== 'word') return kind
  if (keywords.has(isCaseless ? word.toLowerCase() : word)) return 'keyword'
  return text[match.index + word.length] === '(' ? 'title' : undefined
}

/** Returns the language of a file by the end of its path. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
}
