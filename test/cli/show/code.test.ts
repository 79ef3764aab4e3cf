import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languages } from '../../../src/cli/markdown/highlight.ts'
import { paintCode } from '../../../src/cli/show/text-lines.ts'
import { painter, type StyleName } from '../../../src/cli/terminal/style.ts'

const paint = painter(true)
const style = (name: StyleName) => (text: string) => paint(text, name)
const [dim, red, green] = [style('dim'), style('red'), style('green')]
const [yellow, magenta, cyan] = [style('yellow'), style('magenta'), style('cyan')]
const code = (language: string | undefined, text: string) => paintCode(text, language, paint)

describe('code in a terminal', () => {
  it.each([
    ['ts', 'const a1 = `b\nc` // d', `${magenta('const')} a1 = ${green('`b\nc`')} ${dim('// d')}`],
    ['ts title="x"', 'x.y(/* z */ 0x1f)', `x.${cyan('y')}(${dim('/* z */')} ${yellow('0x1f')})`],
    [
      'JSON',
      '{"a": "c", "d": null}',
      `{${cyan('"a"')}: ${green('"c"')}, ${cyan('"d"')}: ${magenta('null')}}`,
    ],
    ['py', '@cached # g', `${yellow('@cached')} ${dim('# g')}`],
    ['diff', '-a\n+b\n c', `${red('-a')}\n${green('+b')}\n c`],
    ['tea', 'const a', yellow('const a')],
    ['', 'const a', yellow('const a')],
    [undefined, 'const a', yellow('const a')],
  ])('has colours of its language: %s', (language, text, expected) => {
    expect(code(language, text)).toBe(expected)
  })

  it('keeps every character', () => {
    const pieces = fc.constantFrom(
      ...['"', "'", '`', '/*', '# ', '-', '1', 'a: ', '\\', '<!--', '\n', 'if', '漢'],
    )
    fc.assert(
      fc.property(fc.constantFrom(...languages), fc.array(pieces), (language, parts) => {
        const text = parts.join('')
        expect(stripVTControlCharacters(code(language, text))).toBe(text)
        expect(paintCode(text, language, painter(false))).toBe(text)
      }),
    )
  })
})
