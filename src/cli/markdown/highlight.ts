/** How the parts of a code are found. */
interface Grammar {
  /**
   * A group for each kind of part. `word` takes each other word, so that no word is looked at twice. Each alternative
   * ends at the end of the text too, so that the time grows with the length of the text alone.
   */
  readonly pattern: RegExp
  readonly keywords: ReadonlySet<string>
  readonly isCaseless: boolean
}

/** The start of a line, and the end of the text. */
const LINE = String.raw`(?<![^\n])`
const END = '(?![^])'

const BLOCKS = String.raw`\/\*[^]*?(?:\*\/|${END})`
const SLASHES = String.raw`\/\/.*|${BLOCKS}`
const HASH = String.raw`(?<!\S)#.*`
const QUOTES = String.raw`"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?`
const LONG_QUOTES = String.raw`"(?:\\[^]|[^"\\])*"?|'[^']*'?`
const BACKTICKS = String.raw`\u0060(?:\\[^]|[^\u0060\\])*\u0060?`
const TRIPLE = `"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})`
const NUMBER = String.raw`\b\d[\w.]*`
const WORD = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`

/** The languages by their names. */
const grammars: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  [
    'bash',
    grammar(
      { comment: HASH, string: LONG_QUOTES, attr: String.raw`\$[\w@#?*]+|\$\{[^}\n]*\}?`, number: NUMBER },
      'case do done elif else esac export fi for function if in local return set then until while',
    ),
  ],
  [
    'c',
    grammar(
      { comment: SLASHES, meta: '#[a-z]+', string: QUOTES, number: NUMBER },
      'auto bool break case char class const continue default delete do double else enum extern false ' +
        'float for if int long namespace new null nullptr private public return short signed sizeof ' +
        'static struct switch template this true typedef union unsigned using virtual void while',
    ),
  ],
  [
    'css',
    grammar({
      ...{ comment: BLOCKS, string: QUOTES, keyword: '@[\\w-]+' },
      ...{
        number: String.raw`#[\da-f]{3,8}\b|\b\d[\w.%]*`,
        attr: String.raw`[\w-]+(?=:\s)`,
        word: '[\\w-]+',
      },
    }),
  ],
  [
    'diff',
    grammar({
      ...{ addition: `${LINE}\\+.*`, deletion: `${LINE}-.*`, keyword: `${LINE}@@.*` },
      comment: `${LINE}(?:diff|index) .*`,
    }),
  ],
  [
    'go',
    grammar(
      { comment: SLASHES, string: `${QUOTES}|${BACKTICKS}`, number: NUMBER },
      'break case chan const continue default defer else fallthrough false for func go goto if import ' +
        'interface map nil package range return select struct switch true type var',
    ),
  ],
  [
    'java',
    grammar(
      { comment: SLASHES, string: `${TRIPLE}|${QUOTES}`, meta: '@\\w+', number: NUMBER },
      'abstract boolean break byte case catch char class const continue data default do double else ' +
        'enum extends false final finally float for fun if implements import in instanceof int interface ' +
        'is long new null object override package private protected public record return short static ' +
        'super switch synchronized this throw throws true try val var void volatile when while',
    ),
  ],
  [
    'json',
    grammar(
      { attr: String.raw`"(?:\\[^]|[^"\\\n])*"(?=\s*:)`, comment: SLASHES, string: QUOTES, number: NUMBER },
      'true false null',
    ),
  ],
  [
    'python',
    grammar(
      { comment: HASH, string: `${TRIPLE}|${QUOTES}`, meta: '@\\w+', number: NUMBER },
      'False None True and as assert async await break class continue def del elif else except finally ' +
        'for from global if import in is lambda match nonlocal not or pass raise return self try while ' +
        'with yield',
    ),
  ],
  [
    'ruby',
    grammar(
      { comment: HASH, string: QUOTES, attr: '(?<!:):\\w+|@\\w+', number: NUMBER },
      'and begin break case class def do else elsif end ensure false for if in module next nil not or ' +
        'raise require rescue return self super then true unless until when while yield',
    ),
  ],
  [
    'rust',
    grammar(
      { comment: SLASHES, string: String.raw`"(?:\\[^]|[^"\\])*"?|'(?:\\.|[^'\\\n])'`, number: NUMBER },
      'as async await break const continue crate dyn else enum extern false fn for if impl in let loop ' +
        'match mod move mut pub ref return self Self static struct super trait true type unsafe use ' +
        'where while',
    ),
  ],
  [
    'sql',
    grammar(
      { comment: `--.*|${BLOCKS}`, string: QUOTES, number: NUMBER },
      'add all alter and as asc between by case create delete desc distinct drop else end exists ' +
        'foreign from group having in index inner insert into is join key left like limit not null ' +
        'offset on or order outer primary references right select set table then union unique update ' +
        'values view when where with',
      { isCaseless: true },
    ),
  ],
  ['toml', grammar({ comment: HASH, keyword: `${LINE}\\[.*`, string: QUOTES, number: NUMBER }, 'true false')],
  [
    'typescript',
    grammar(
      { comment: SLASHES, string: `${QUOTES}|${BACKTICKS}`, meta: '@\\w+', number: NUMBER },
      'abstract any as async await boolean break case catch class const continue debugger declare ' +
        'default delete do else enum export extends false finally for from function get if implements ' +
        'import in instanceof interface is keyof let namespace never new null number of private ' +
        'protected public readonly return satisfies set static string super switch this throw true try ' +
        'type typeof undefined unknown var void while with yield',
    ),
  ],
  [
    'xml',
    grammar({
      ...{ comment: `<!--[^]*?(?:-->|${END})`, keyword: String.raw`<[\/!?]?[\w:-]+|[\/?]?>` },
      ...{ attr: String.raw`[\w:-]+(?==["'])`, string: `(?<==)(?:"[^"]*"?|'[^']*'?)` },
      word: '[\\w:-]+',
    }),
  ],
  [
    'yaml',
    grammar(
      {
        comment: HASH,
        attr: String.raw`[\w.-]+(?=:(?:\s|${END}))`,
        string: String.raw`(?<!\w)(?:${QUOTES})`,
        number: NUMBER,
        word: '[\\w.-]+',
      },
      'true false null yes no',
    ),
  ],
])

function grammar(
  kinds: Readonly<Record<string, string>>,
  keywords = '',
  { isCaseless = false }: { readonly isCaseless?: boolean } = {},
): Grammar {
  const groups = Object.entries({ ...kinds, word: kinds.word ?? WORD })
  const pattern = new RegExp(groups.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gu')
  return { pattern, keywords: new Set(keywords.split(' ')), isCaseless }
}

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
