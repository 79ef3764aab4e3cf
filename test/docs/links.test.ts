import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsOf, headingsIn, pageAt, pages, ROOT, withoutCode } from './pages.ts'

describe.each(pages.map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
  it('links to files and headings that exist', () => {
    for (const [, target = '', anchor] of linksIn(text)) {
      const file = target === '' ? path : join(dirname(path), target)
      expect(existsSync(join(ROOT, file)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsIn(file)).toContain(anchor)
    }
  })
})

// The package lacks `examples/`, `fixtures/` and `CONTRIBUTING.md`: a link to them led nowhere.
it('links from a page of the package to files of the package', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isShipped = (path: string): boolean =>
    ['README.md', 'LICENSE', 'package.json', ...files].some((each) => `${path}/`.startsWith(`${each}/`))
  const changelog = { path: 'CHANGELOG.md', text: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8') }
  const missing = [...pages, changelog]
    .filter(({ path }) => isShipped(path))
    .flatMap(({ path, text }) =>
      linksIn(text)
        .map(([, target = '']) => (target === '' ? path : join(dirname(path), target)))
        .filter((file) => !isShipped(file))
        .map((file) => `${path}: ${file}`),
    )
  expect(missing).toEqual([])
})

it('names files of the repository that exist', () => {
  for (const { path, text } of pages)
    for (const [, file = ''] of text.matchAll(/`((?:src|test|examples|fixtures|docs)\/[\w./-]+)`/g))
      expect(existsSync(join(ROOT, file)), `${path}: ${file}`).toBe(true)
})

it('lists every page in the index', () => {
  const index = pageAt('docs/README.md')
  for (const { path } of pages)
    if (path.startsWith('docs/') && path !== 'docs/README.md')
      expect(index).toContain(`](${path.slice('docs/'.length)})`)
})

// llms.txt links the reference as a whole.
it('lists every guide for an agent', () => {
  const index = readFileSync(join(ROOT, 'llms.txt'), 'utf8')
  for (const { path } of pages) if (/^docs\/[^/]*$/.test(path)) expect(index).toContain(`](${path}`)
})

/** Links to files of this repository, and targets at the end of a page; code does not count. */
function linksIn(text: string): readonly RegExpMatchArray[] {
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, '')
  return [
    ...prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g),
    ...prose.matchAll(/^\[\]: (?!https?:)([^#\n]*)(?:#(.*))?$/gm),
  ]
}

const anchors = new Map<string, ReadonlySet<string>>()

function anchorsIn(file: string): ReadonlySet<string> {
  const known = anchors.get(file) ?? new Set(anchorsOf(headingsIn(readFileSync(join(ROOT, file), 'utf8'))))
  anchors.set(file, known)
  return known
}
