import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, pages, ROOT } from './pages.ts'
import { entryPoints } from './reference/entries.ts'
import { ROW, referencePage } from './reference/page.ts'

/** The pages of `docs/reference/`. When the source has changed, run `npm run reference`. */
describe('the reference', () => {
  const entries = entryPoints.map((entryPoint) => [entryPoint.page, entryPoint] as const)

  it.each(entries)('%s names every export, and no other', (page, { exports }) => {
    expect(
      rowsOf(page)
        .map(([, name = '']) => name)
        .sort(),
    ).toEqual([...exports.keys()].sort())
  })

  it.each(entries)('%s says something of each export', (page) => {
    for (const [, name, sentence = ''] of rowsOf(page)) expect(sentence, name).toMatch(/^\S.* .*\.$/)
  })

  it.each(entries)('%s has the signatures of the source', async (page, entryPoint) => {
    await expect(referencePage(entryPoint), 'run `npm run reference`').toMatchFileSnapshot(join(ROOT, page))
  })

  it('has no page without an entry point', () => {
    const written = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/reference/'))
    expect(written).toEqual(entries.map(([page]) => page).sort())
  })
})

function rowsOf(page: string): readonly RegExpMatchArray[] {
  return [...pageAt(page).matchAll(ROW)]
}
