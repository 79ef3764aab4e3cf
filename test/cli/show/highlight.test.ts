import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highlight, languageOf, languages } from '../../../src/cli/markdown/highlight.ts'
import { HOSTILE_TEXTS, SAMPLES } from '../../page/hostile-texts.ts'

const kindsOf = (language: string, text: string): readonly string[] =>
  (highlight(text, language) ?? []).flatMap(({ kind, text: part }) => (kind ? [`${kind} ${part}`] : []))

describe('the colours of code', () => {
  it('keep every character of a code in its place', () => {
    const codes = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('"', "'", '`', '\\', '/*', '*/', '//', '#', '<!--', '$', '\n', 'x=', ' ')),
      fc.constantFrom(...Object.values(SAMPLES)),
    )
    fc.assert(
      fc.property(fc.constantFrom(...languages), codes, (language, code) => {
        const text = String(Array.isArray(code) ? code.join('') : code)
        expect(
          highlight(text, language)
            ?.map((part) => part.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })

  it('are there for hostile codes too', () => {
    for (const [name, text] of HOSTILE_TEXTS['blocks of code'] ?? []) {
      const [, language = '', code = ''] = /^```(\w+)\n([\s\S]*)\n```$/.exec(text) ?? []
      expect(
        highlight(code, language)
          ?.map((part) => part.text)
          .join('') ?? code,
        name,
      ).toBe(code)
    }
  })

  it('tell the kinds of parts apart', () => {
    expect(kindsOf('ts', 'const a = `x\ny` // it’s\ncall(1, "\\"") /* open')).toEqual([
      'keyword const',
      'string `x\ny`',
      'comment // it’s',
      'title call',
      'number 1',
      'string "\\""',
      'comment /* open',
    ])
    expect(kindsOf('SQL', "SELECT a -- all\nfrom b where c = 'd'")).toEqual([
      'keyword SELECT',
      'comment -- all',
      'keyword from',
      'keyword where',
      "string 'd'",
    ])
    expect(kindsOf('html', `<!-- a\nb --><p id="x">don't</p>`)).toEqual([
      'comment <!-- a\nb -->',
      'keyword <p',
      'attr id',
      'string "x"',
      'keyword >',
      'keyword </p',
      'keyword >',
    ])
    expect(kindsOf('diff', '@@ -1 +1 @@\n-a\n+b\n c - d')).toEqual([
      'keyword @@ -1 +1 @@',
      'deletion -a',
      'addition +b',
    ])
    expect(kindsOf('bash', 'echo "$a" $b # c')).toEqual(['string "$a"', 'attr $b', 'comment # c'])
  })

  it('are missing where they would cost too much, or where nobody knows the language', () => {
    expect(highlight('x'.repeat(20_001), 'ts')).toBeUndefined()
    expect(highlight('x', 'klingon')).toBeUndefined()
    expect(highlight('x', undefined)).toBeUndefined()
    expect(languageOf('/a/b.TSX')).toBe('tsx')
    expect(languageOf('/a/b')).toBeUndefined()
  })
})
