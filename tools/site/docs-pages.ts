import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, normalize, relative } from 'node:path'
import { build } from 'esbuild'
import { lexer, type Token, type Tokens } from 'marked'
import { hashOf } from '../page/bundle.ts'
import { escapeHtml, markdownHtml } from './markdown-html.ts'
import { referencePage } from './reference/page.ts'

/** The pages from which links lead to all others. */
const FIRST_PAGES = ['README.md', 'CHANGELOG.md', 'docs/README.md']

/** Returns the HTML of each page of the documentation, by its path in the site. Links to other files lead to the repository. */
export async function docsPages(root: string, repository: string): Promise<ReadonlyMap<string, string>> {
  const style = await docsStyle(root)
  const navigation = navigationOf(await readFile(join(root, 'docs/README.md'), 'utf8'))
  const pages = new Map<string, string>()
  const waiting = [...FIRST_PAGES]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(htmlPath(path))) continue
    const place = new PagePlace({ root, repository, path })
    const text = referencePage(path) ?? (await readFile(join(root, path), 'utf8'))
    const content = markdownHtml(withoutFrontMatter(text), place)
    pages.set(htmlPath(path), pageHtml({ path, content, style, navigation }))
    waiting.push(...place.found)
  }
  return pages
}

async function docsStyle(root: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'tools/site/docs.css')],
    bundle: true,
    minify: true,
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

function htmlPath(path: string): string {
  return path.replace(/\.md$/, '.html')
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n.*?\n---\n/s, '')
}

interface PlaceOptions {
  readonly root: string
  readonly repository: string
  readonly path: string
}

/** The place of a page, from which its links lead. It remembers the pages that they lead to. */
class PagePlace {
  readonly found: string[] = []
  readonly #options: PlaceOptions

  constructor(options: PlaceOptions) {
    this.#options = options
  }

  readonly link = (target: string): string => {
    if (/^[a-z]+:|^#/i.test(target)) return target
    const { root, repository, path } = this.#options
    const [file = '', anchor] = target.split('#', 2)
    const place = normalize(join(dirname(path), file))
    if (!existsSync(join(root, place))) throw new Error(`${path}: a link to ${target}, which does not exist`)
    const after = anchor === undefined ? '' : `#${anchor}`
    if (!place.endsWith('.md')) return `${repository}/blob/HEAD/${place}${after}`
    this.found.push(place)
    return htmlPath(file) + after
  }

  readonly image = (target: string): string => {
    const { root, path } = this.#options
    return dataAddress(join(root, dirname(path), target))
  }
}

/** A page opens from the disk too, where its policy allows no other file. */
function dataAddress(path: string): string {
  return `data:image/${extname(path).slice(1)};base64,${readFileSync(path, 'base64')}`
}

interface NavigationPart {
  readonly title: string
  readonly links: readonly { readonly path: string; readonly text: string }[]
}

/** Returns the parts of the index with the pages that they link to. */
function navigationOf(index: string): readonly NavigationPart[] {
  const parts: { title: string; links: { path: string; text: string }[] }[] = []
  for (const token of lexer(index)) {
    if (token.type === 'heading' && token.depth === 2) parts.push({ title: token.text, links: [] })
    const links = parts.at(-1)?.links
    if (!links || token.type === 'heading') continue
    for (const { href, text } of linksIn(token))
      if (/^[\w/.-]+\.md$/.test(href) && links.every(({ path }) => path !== `docs/${href}`))
        links.push({ path: `docs/${href}`, text: text.replaceAll('`', '') })
  }
  return parts.filter(({ links }) => links.length > 0)
}

function linksIn(token: Token): readonly Tokens.Link[] {
  if (isLink(token)) return [token]
  const cells = isTable(token) ? [...token.header, ...token.rows.flat()].flatMap(({ tokens }) => tokens) : []
  const children = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : []
  return [...cells, ...children].flatMap(linksIn)
}

function isLink(token: Token): token is Tokens.Link {
  return token.type === 'link'
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table'
}

interface PageParts {
  readonly path: string
  readonly content: string
  readonly style: string
  readonly navigation: readonly NavigationPart[]
}

function pageHtml({ path, content, style, navigation }: PageParts): string {
  const to = (target: string) => escapeHtml(relative(dirname(path), htmlPath(target)))
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(content)?.[1]?.replace(/<[^>]*>/g, '') ?? 'agentfold'
  const parts = navigation.map(
    ({ title: name, links }) =>
      `<h2>${escapeHtml(name)}</h2><ul>${links
        .map(({ path: target, text }) => {
          const current = target === path ? ' aria-current="page"' : ''
          return `<li><a href="${to(target)}"${current}>${escapeHtml(text)}</a></li>`
        })
        .join('')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src '${hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · agentfold</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top"><a class="brand" href="${to('index.html')}">agentfold</a><a href="${to('index.html')}">Open a session</a><a href="${to('docs/README.md')}">Documentation</a><a href="${to('CHANGELOG.md')}">Changelog</a></header>
<div class="columns">
<nav aria-label="Documentation">${parts.join('')}</nav>
<main id="content" tabindex="-1">${content}</main>
</div>
</body>
</html>
`
}
