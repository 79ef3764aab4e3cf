import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { isCostlyMarkdown } from '../../../src/cli/markdown/tokens.ts'
import { renderMarkdown } from '../../../src/cli/show/text-lines.ts'
import { painter } from '../../../src/cli/terminal/style.ts'
import { runs } from '../../depth.ts'

const plain = (text: string, width = 40) => renderMarkdown(text, { width, paint: painter(false) }).join('\n')
const styled = (text: string) => renderMarkdown(text, { width: 40, paint: painter(true) }).join('\n')

describe('Markdown in a terminal', () => {
  it.each([
    ['# Title\n\n## More\n\n### Less', 'Title\n═════\n\nMore\n────\n\nLess'],
    ['a **b** *c* ~~d~~ `e`', 'a b c d `e`'],
    ['a\\*b &amp; &lt;b&gt; &#27; <i>x</i>', 'a*b & <b> &#27; <i>x</i>'],
    ['one\ntwo  \nthree', 'one\ntwo\nthree'],
    [
      '[tea](https://tea.example) <https://a.example> <me@a.example>',
      'tea (https://tea.example)\nhttps://a.example me@a.example',
    ],
    ['[tea]() ![a cup](cup.png)', 'tea image: a cup (cup.png)'],
    ['[a][1]\n\n[1]: https://a.example', 'a (https://a.example)'],
    ['- one\n- two\n  - three', '• one\n• two\n  • three'],
    ['- one\n\n- two', '• one\n\n• two'],
    ['9. nine\n10. ten', ' 9. nine\n10. ten'],
    ['- [ ] open\n- [x] done', '☐ open\n☑ done'],
    ['-', '•'],
    ['> a quote\n>\n> - b', '▎ a quote\n▎\n▎ • b'],
    ['```ts\nconst a = 1\n\nb\n```', '  const a = 1\n\n  b'],
    ['a\n\n---\n\nb', 'a\n\n────────────────────\n\nb'],
    ['<div>\nx\n</div>', '<div>\nx\n</div>'],
    ['`&#27;` [&#27;](x&#27;y) ![&#27;](z) # &#x1b;\n\n&#27;\n===', undefined],
    ['', ''],
  ])('%j', (text, expected) => {
    if (expected !== undefined) expect(plain(text)).toBe(expected)
    expect(plain(text).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('wraps between words, keeps long words and code whole, and hangs below marks', () => {
    expect(plain('- one two three four five six seven', 20)).toBe('• one two three four\n  five six seven')
    expect(plain(`see https://example.org/${'x'.repeat(30)} now`, 20)).toBe(
      `see\nhttps://example.org/${'x'.repeat(30)}\nnow`,
    )
    expect(plain(`    ${'y'.repeat(50)}`, 20)).toBe(`  ${'y'.repeat(50)}`)
    expect(plain('日本語日本語 日本語日本語', 14)).toBe('日本語日本語\n日本語日本語')
  })

  it('shows a table with cells that wrap, or as lists if it is too narrow', () => {
    const table = '| a | name |\n|---|---|\n| 1 | green tea from the hills |\n| 2 |'
    expect(plain(table)).toBe('a │ name\n──┼─────────────────────────\n1 │ green tea from the hills\n2 │')
    expect(plain(table, 16)).toBe('a │ name\n──┼─────────────\n1 │ green tea\n  │ from the\n  │ hills\n2 │')
    const wide =
      '| one | two | three |\n|---|---|---|\n| aaaaaaaaaa | bbbbbbbbbb | cccccccccc |\n| d | e | f |'
    expect(plain(wide, 20)).toBe(
      'one: aaaaaaaaaa\ntwo: bbbbbbbbbb\nthree: cccccccccc\n\none: d\ntwo: e\nthree: f',
    )
    expect(plain('| some header | another header | third header |\n|---|---|---|', 20)).toBe(
      'some header\nanother header\nthird header',
    )
  })

  it('aligns columns as the table says, and numbers at the right', () => {
    const table = '| a | b | c | d |\n|:-|:-:|-:|-|\n| 1 | 2 | x | 1,200 ms |\n| 22 | wide | long | – |'
    expect(plain(table)).toBe(
      'a  │  b   │    c │        d\n───┼──────┼──────┼─────────\n1  │  2   │    x │ 1,200 ms\n22 │ wide │ long │        –',
    )
    const mixed = plain('| a | b | c |\n|-|-|-|\n| 1 | – |  |\n| v1.2 | – |  |')
    expect(mixed.split('\n')[2]).toBe('1    │ – │')
  })

  it('keeps the lines between columns in their places, whatever the cells hold', () => {
    const cell = fc.constantFrom(
      ...['日本語', '✅ done', '⚠️', '👩‍💻 x', 'é', '**bold** words', '`code` here', '1,234', ''],
      ...[
        'a-name-that-is-longer-than-its-column',
        '漢字漢字漢字漢字漢字漢字漢字',
        '[link](https://a.example/b)',
      ],
    )
    const row = fc.tuple(cell, cell, cell)
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 30, max: 90 }),
        fc.boolean(),
        (rows, width, isStyled) => {
          const text = ['| a | b | c |', '|-|-|-|', ...rows.map((cells) => `| ${cells.join(' | ')} |`)]
          const lines = renderMarkdown(text.join('\n'), { width, paint: painter(isStyled) })
          const places = lines.map((line) => {
            const parts = stripVTControlCharacters(line).split(/[│┼]/)
            expect(parts).toHaveLength(3)
            return parts.slice(0, 2).map((part) => stringWidth(part))
          })
          for (const each of places) expect(each).toEqual(places[0])
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  it('has styles that end on each line', () => {
    expect(styled('**a  \nb** `c`')).toBe('\u001b[1ma\u001b[22m\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m')
    expect(styled('# T')).toBe('\u001b[1mT\u001b[22m\n\u001b[2m═\u001b[22m')
    expect(styled('### T')).toBe('\u001b[1mT\u001b[22m')
    expect(styled('**a *b* c**')).toBe('\u001b[1ma \u001b[3mb\u001b[23m c\u001b[22m')
  })

  it('shows a text that is too long or too deep as it is', () => {
    const deep = `${'>'.repeat(9_000)} a`
    expect(plain(deep).startsWith('>>>>')).toBe(true)
    const long = '**word** '.repeat(30_000)
    expect(plain(long)).toContain('**word** **word**')
  })

  it.each([
    ['lists on one line', '- '.repeat(60)],
    ['lists by their indent', Array.from({ length: 60 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n')],
    ['underlined headings', 'a\n---\n'.repeat(400)],
    ['comments in one paragraph', `x ${'<!-- '.repeat(4_000)}`],
    ['a long word before an @', `${'a.'.repeat(10_000)}@`],
    ['a table that fills short rows', `${'|a'.repeat(400)}\n${'|-'.repeat(400)}\n${'|b\n'.repeat(400)}`],
    ['a table in a quote', `> ${'a|'.repeat(400)}\n> ${':-:|'.repeat(400)}\n${'> b|\n'.repeat(400)}`],
  ])('shows a text that takes a parser long as it is: %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(true)
  })

  it.each([
    ['long lists', '- **a** `b` [c](d)\n'.repeat(200)],
    ['a long table', `| a | b |\n|---|---|\n${'| some words | more words |\n'.repeat(100)}`],
    [
      'a wide table',
      `${`${'| word '.repeat(30)}|\n${'|---'.repeat(30)}|\n`}${`${'| word '.repeat(30)}|\n`.repeat(20)}`,
    ],
    ['a long paragraph with mail addresses', 'Write to jo@a.example or to ann@b.example. '.repeat(100)],
    ['a long address with a mail address', `https://a.example/${'b'.repeat(2_000)}?to=jo@a.example`],
    ['many paragraphs', 'Some *words* and `code`.\n\n'.repeat(1_500)],
    ['a long block of code', `\`\`\`ts\n${'const value = list.map((each) => each.id)\n'.repeat(200)}\`\`\``],
  ])('reads %s', (_, text) => {
    expect(isCostlyMarkdown(text)).toBe(false)
  })

  it('decides about a text of one part in linear time', () => {
    // A search of quadratic time needs a minute.
    for (const part of ['-', '- ', '|', ' ', '> ', 'a.', '@', '*'])
      for (const end of ['', 'x', '@']) isCostlyMarkdown(part.repeat(49_000 / part.length) + end)
  })

  it('never throws and never adds a control character', () => {
    const parts = fc.constantFrom(
      '# ',
      '- ',
      '> ',
      '| a | b |\n|---|---|\n',
      '```',
      '`',
      '**',
      '[',
      '](x)',
      '\n',
      '\n\n',
      ' ',
      'word',
      '1. ',
      '<b>',
      '&amp;',
      '  ',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), fc.integer({ min: 1, max: 60 }), (pieces, width) => {
        expect(plain(pieces.join(''), width).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the limit of Markdown', () => {
  const code = '  if (a[i] && b < c) f(`x`, d | e) // *\n'.repeat(320)

  it.each(['```ts', '~~~', '````'])('takes an answer with a long block of code after %s', (fence) => {
    const end = fence.slice(0, fence.startsWith('```ts') ? 3 : fence.length)
    expect(isCostlyMarkdown(`Do this:\n\n${fence}\n${code}${end}\n\nIt is **done**.`)).toBe(false)
    expect(isCostlyMarkdown(`Do this:\n\n${fence}\n${code}`)).toBe(false)
  })

  it.each([
    ['a list that ends the fence', '- a\n  ```\n'],
    ['a comment', '<!--\n```\n-->\n'],
    ['a mark in the info string', '``` a`b\n'],
    ['a fence that has ended', '```\n```\n'],
    ['four spaces', '    ```\n'],
  ])('refuses the same marks outside code, after %s', (_, before) => {
    expect(isCostlyMarkdown(before + code.repeat(2))).toBe(true)
  })
})
