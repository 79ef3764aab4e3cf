import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { widthsFor } from '../../../src/cli/terminal/terminal.ts'
import { isPlain } from '../../../src/cli/terminal/width.ts'
import { allWidths } from '../../../src/cli/terminal/wrap.ts'

const characters = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
const plain = characters.filter(isPlain)

it('takes characters of one column alone for plain, with any neighbour', () => {
  expect(plain.length).toBeGreaterThan(500)
  for (const character of plain) {
    expect([character, stringWidth(character)]).toEqual([character, 1])
    expect(stringWidth(`${character}a${character}1${character}`)).toBe(5)
  }
})

it('measures, fills and cuts plain texts as all texts', async () => {
  const texts = ['', 'a', 'Make tea.', `“Köln” … ${'long '.repeat(9)}`, plain.slice(90, 130).join('')]
  const widths = await widthsFor(texts)
  expect(widths).not.toBe(allWidths)
  for (const text of texts)
    for (const width of [1, 2, 5, 9, 40]) {
      expect(widths.widthOf(text)).toBe(allWidths.widthOf(text))
      expect(widths.pad(text, width)).toBe(allWidths.pad(text, width))
      expect(widths.cut(text, width)).toBe(allWidths.cut(text, width))
    }
  expect(await widthsFor([...texts, '天気'])).toBe(allWidths)
})
