import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, pages, ROOT } from './pages.ts'

describe.each(pages.map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
  it('links to files and headings that exist', () => {
    for (const [, target = '', anchor] of linksIn(text)) {
      const file = target === '' ? path : join(dirname(path), target)
      expect(existsSync(join(ROOT, file)), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(join(ROOT, file), 'utf8'))).toContain(anchor)
    }
  })
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

/** Links to files of this repository; code does not count. */
function linksIn(text: string): readonly RegExpMatchArray[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
}

/** Returns the anchors that GitHub gives to the headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
