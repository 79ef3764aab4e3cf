type NamedText = readonly [name: string, text: string]

/** Texts that once emptied the page or held it for seconds, by kind, each with its name. */
export const HOSTILE_TEXTS: Readonly<Record<string, readonly NamedText[]>> = {
  'quotes and lists': [
    ['quotes', `${'>'.repeat(20_000)}x`],
    ['quotes with spaces', `${'> '.repeat(4_000)}x`],
    ['lists', `${'- '.repeat(10_000)}x`],
    ['numbered lists', `${'1. '.repeat(5_000)}x`],
    ['quotes, lists and numbers', `${'> - 1. '.repeat(2_000)}x`],
    ['few levels on each of many lines', `${'- > '.repeat(20)}x\n`.repeat(500)],
    ['lists by their indent', lines(200, (at) => `${'  '.repeat(at)}- x`)],
    ['lists by their indent in tabs', lines(300, (at) => `${'\t'.repeat(at / 2)}${'  '.repeat(at % 2)}- x`)],
  ],
  'words and links': [
    ['nested emphasis', `${'*'.repeat(10_000)}a${'*'.repeat(10_000)}`],
    ['less nested emphasis', `${'*'.repeat(2_000)}a${'*'.repeat(2_000)}`],
    ['nested emphasis with words', '*a '.repeat(1_500) + ' a*'.repeat(1_500)],
    ['nested strikethrough', `${'~a '.repeat(1_500)}${' a~'.repeat(1_500)}`],
    ['open emphasis', '*a '.repeat(10_000)],
    ['closed emphasis', 'a* '.repeat(10_000)],
    ['emphasis of two kinds', '**a_'.repeat(10_000)],
    ['open brackets', '['.repeat(20_000)],
    ['closed brackets', ']'.repeat(20_000)],
    ['brackets', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['images', '![a]('.repeat(10_000)],
    ['nested images', `${'!['.repeat(2_000)}a${'](b)'.repeat(2_000)}`],
    ['links', '[a](<b'.repeat(10_000)],
    ['runs of backticks', lines(300, (at) => `${'`'.repeat(at + 1)}a`)],
  ],
  'tables, tags and headings': [
    ['columns of a table', `${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n${'|b'.repeat(5_000)}`],
    ['rows of a table', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(5_000)}`],
    ['addresses', 'www.'.repeat(10_000)],
    ['mail addresses', 'a@a.'.repeat(10_000)],
    ['tags', `x ${'<a '.repeat(20_000)}`],
    ['comments', `x ${'<!-- '.repeat(10_000)}`],
    ['instructions', `x ${'<?'.repeat(10_000)}`],
    ['underlined headings', 'a\n---\n'.repeat(2_500)],
    ['underlined headings in a quote', '> a\n> ==\n'.repeat(2_000)],
    ['footnotes', lines(3_000, (at) => `[^${at}]: x [^${at}]`)],
    ['references', `${lines(3_000, (at) => `[a${at}]: x`)}\n${'[a1]'.repeat(3_000)}`],
    ['a long word', 'x'.repeat(3_000_000)],
  ],
  'blocks of code': [
    ['code in xml', fenced('xml', '<a '.repeat(6_000))],
    ['code in js', fenced('js', '/'.repeat(20_000))],
    ['nested code in js', fenced('js', '`${'.repeat(6_000))],
    ['code in python', fenced('python', 'f"{'.repeat(6_000))],
    ['code in bash', fenced('bash', '$('.repeat(10_000))],
    ['code in diff', fenced('diff', '@@ '.repeat(6_600))],
    ['code in css', fenced('css', '@media('.repeat(2_800))],
    ['code in rust', fenced('rust', 'r#'.repeat(10_000))],
    ['code in json', fenced('json', '['.repeat(19_900))],
    ['code in ts', fenced('ts', '<T,'.repeat(6_000))],
    ['code in java', fenced('java', '@a('.repeat(6_000))],
    ['styles in html', fenced('html', '<style>'.repeat(2_800))],
    ['a style in html', fenced('html', '<style>a { color: red }</style>')],
    ['scripts in html', fenced('html', '<script>'.repeat(2_400))],
  ],
}

/** Outputs of tools, by kind. */
export const HOSTILE_OUTPUTS: Readonly<Record<string, string>> = {
  'a colour for each character': '\u001b[31mx\u001b[0m'.repeat(50_000),
  'JSON of many levels': '['.repeat(50_000),
  'a line of three million characters': 'x'.repeat(3_000_000),
  '200,000 lines': 'x\n'.repeat(200_000),
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('\n')
}

/** A piece of code in each language, by the name of the language. */
export const SAMPLES: Readonly<Record<string, string>> = {
  bash: 'if ls -l | grep "x"; then echo $y; fi',
  c: '#include <a.h>\nint main(void) { return 0; } /* end */',
  css: '@media (width < 10px) { a:hover { color: red; } }',
  diff: '-a\n+b',
  go: 'func main() { fmt.Println("x") }',
  java: '@Override class A { int a = 1; }',
  json: '{"a": [1, null]}',
  python: 'def f(): return f"{x}"',
  ruby: 'def f = puts(:a) # b',
  rust: 'fn main() { let r = r#"x"#; }',
  sql: "select 1 from a where b = 'c'",
  toml: '[a]\nb = "1"',
  typescript: `const a: string = \`1 \${b} 2\``,
  xml: '<style>a { color: red }</style><script>const a = 1</script>',
  yaml: 'a: "1"\nb:\n  - true',
}

/** Other names of the languages, as models write them on a block of code. */
export const ALIASES: Readonly<Record<string, string>> = {
  ...{ sh: 'bash', zsh: 'bash', shell: 'bash', console: 'bash', patch: 'diff', golang: 'go' },
  ...{ javascript: 'typescript', js: 'typescript', jsx: 'typescript', mjs: 'typescript', cjs: 'typescript' },
  ...{ cpp: 'c', h: 'c', jsonc: 'json', py: 'python', rb: 'ruby' },
  ...{ rs: 'rust', ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript' },
  ...{ html: 'xml', xhtml: 'xml', svg: 'xml', plist: 'xml', yml: 'yaml' },
}
