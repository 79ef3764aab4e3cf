import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable } from '../../../src/redaction/printable.ts'
import { safeProse } from '../../../src/sinks/markdown/text/prose.ts'
import { depth, runs } from '../../depth.ts'
import { htmlOf, pageOf, textsOf } from './page.ts'

/** Pieces of Markdown that open, close and interrupt each other. */
const piece = fc.constantFrom(
  ...[
    '```',
    '~~~',
    '\n',
    '\n',
    '\n',
    '\n\n',
    '    ',
    '  ',
    ' ',
    '   ',
    '- ',
    '> ',
    '>',
    '1. ',
    '2) ',
    '10. ',
    '|',
    '| ',
  ],
  ...[
    '---',
    '-',
    '|---|\n',
    '`',
    '``',
    '\\',
    '<x-live>',
    '</details>',
    '[^a]: ',
    '[^a]',
    '\t',
    'a',
    '# ',
    '<!--',
  ],
  ...[
    '<https://a',
    'https://a',
    'www.a.b',
    '<',
    '!',
    '[b](c)',
    '===',
    '~',
    '<?p',
    '&lt;',
    '* ',
    '\u00a0',
    '[r]: ',
    '\r',
  ],
)
const hostile = fc.array(piece, { maxLength: 30, size: 'max' }).map((pieces) => pieces.join(''))

const prose = (text: string) => safeProse(printable(text), {})

describe('the text of a person or a model', () => {
  it('never runs as HTML, never embeds an image and never swallows what follows', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, keepsLines) => {
        const safe = safeProse(printable(text), { keepsLines })
        const [html = ''] = htmlOf(`${safe}\n\n<hr class="end">\n\n## After\n`).split(
          '<section data-footnotes',
        )
        expect(html).not.toMatch(/<(x-live|\/details|!--|\?p|img)/)
        expect(html.trim()).toMatch(/<hr class="end">\n<h2>After<\/h2>$/)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('keeps code as it is', () => {
    const text = 'Use `Array<string>`:\n\n1. a\n   ```ts\n   const a: Array<b> = []\n\n     c\n   ```\n2. b'
    expect(prose(text)).toBe(text)
  })

  it('shows a type outside code as text', () => {
    expect(pageOf(prose('An Array<string>, a < b and <https://x.y/a_b>.')).textContent?.trim()).toBe(
      'An Array<string>, a < b and https://x.y/a_b.',
    )
  })

  it('closes a block of code that is open at the end', () => {
    expect(prose('```js\nlet a')).toBe('```js\nlet a\n```')
    expect(prose('> ~~~~\n> a\nb')).toBe('> ~~~~\n> a\n> ~~~~\nb')
  })

  it('moves headings below those of the document', () => {
    expect(prose('# A\n\n## B\n\n##### C\n\n```\n# D\n```')).toBe(
      '### A\n\n#### B\n\n###### C\n\n```\n# D\n```',
    )
    expect(textsOf(pageOf(prose('A\n===\nB\n---\nC')), 'h1, h2')).toEqual([])
  })

  it('keeps the lines of a prompt', () => {
    expect(pageOf(safeProse('a\nb\n\nc', { keepsLines: true })).querySelectorAll('br')).toHaveLength(1)
  })

  it('makes a link of an image', () => {
    const page = pageOf(prose('![a](https://x.y/z.png)'))
    expect(textsOf(page, 'a')).toEqual(['a'])
    expect(page.querySelector('img')).toBeNull()
  })

  it.each([
    '`',
    '>',
    '> ',
    '- ',
    '\\`',
    '<a',
    'a`',
    '#',
    '~~~\n',
    '    ```\n',
    '|',
    '-',
    '=',
    '![',
    '\t',
    ' ',
    '`a``b```',
  ])('takes a long run of %j', (repeated) => {
    const length = depth({ few: 200_000, all: 400_000 })
    const text = repeated.repeat(length / repeated.length)
    expect(prose(`${text}\nx`).length).toBeGreaterThan(length * 0.9)
  })
})
