import { describe, expect, it } from 'vitest'
import { membersOf, referencePages } from '../../tools/site/reference/entries.ts'
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

  // New options and codes had no place in such a list.
  it.each(entries)('%s names all members of a type where it lists some', (path, { exports }) => {
    const missing = rowsOf(path).flatMap(([, name = '', sentence = '']) => {
      const symbol = exports.get(name)
      const members = symbol ? membersOf(symbol) : []
      const isList = members.filter((member) => sentence.includes(`\`${member}\``)).length > 1
      if (!isList || sentence.includes('such as')) return []
      return members.filter((member) => !namesWord(sentence, member)).map((member) => `${name}.${member}`)
    })
    expect(missing).toEqual([])
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

/** A field may have its name in a sentence: "the signal". */
function namesWord(sentence: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`, 'i').test(sentence)
}
