import { describe, expect, it } from 'vitest'
import { referencePages } from '../../tools/site/reference/entries.ts'
import { ROW, referencePage } from '../../tools/site/reference/page.ts'
import { pageAt, pages } from './pages.ts'

describe('the reference', () => {
  const entries = referencePages.map((page) => [page.path, page] as const)

  it.each(entries)('%s names every export, and no other', (path, { exports }) => {
    const names = rowsOf(path).map(([, name = '']) => name)
    expect(names.sort()).toEqual([...exports.keys()].sort())
  })

  it.each(entries)('%s says something of each export', (path) => {
    for (const [, name, sentence = ''] of rowsOf(path)) expect(sentence, name).toMatch(/^\S.* .*\.$/)
  })

  it.each(entries)(
    '%s shows each export with its signature on the site, or links to it',
    (path, { exports }) => {
      const page = referencePage(path) ?? ''
      for (const name of exports.keys())
        expect(page).toMatch(new RegExp(`^\\| \\[\`${name}\`\\]\\([^)]*#`, 'm'))
    },
  )

  it('has no page without an entry point', () => {
    const written = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/reference/'))
    expect(written).toEqual(entries.map(([path]) => path).sort())
  })
})

function rowsOf(path: string): readonly RegExpMatchArray[] {
  return [...pageAt(path).matchAll(ROW)]
}
