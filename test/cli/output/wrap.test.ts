import { describe, expect, it } from 'vitest'
import { hideSqliteWarning } from '../../../src/cli/terminal/terminal.ts'
import { widthOf, wrapWords } from '../../../src/cli/terminal/wrap.ts'

describe('wrapWords', () => {
  // A paragraph of Japanese was one line of any width.
  it.each([
    '翻訳の文字列をすべて確認して、足りないものを追加してください。',
    '请检查所有翻译的字符串,并添加缺少的内容。',
    '「これは本当に正しいです。」と彼は言いました。',
    '他说：《你真的看过这本书吗？》我说〈没有〉，对吗！？',
  ])('wraps a script without spaces at the last column: %s', (text) => {
    const lines = wrapWords(`  ${text.repeat(5)}`, 40)
    expect(lines.length).toBeGreaterThan(4)
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(40)
    expect(lines.map((line) => line.trim()).join('')).toBe(text.repeat(5))
    expect(lines.every((line) => line.startsWith('  '))).toBe(true)
    // A sign that ends a word began a line.
    const narrow = [21, 22, 23, 24].map((width) => wrapWords(text.repeat(5), width))
    expect(narrow.flat().filter((line) => /^[、。」》〉！？]/.test(line))).toEqual([])
    expect(narrow.map((each) => each.join(''))).toEqual(narrow.map(() => text.repeat(5)))
    expect(Math.max(...narrow.map((each, at) => Math.max(...each.map(widthOf)) - at))).toBeLessThanOrEqual(21)
  })

  it('keeps a long word whole, so that a person can copy it', () => {
    const address = `https://example.org/${'a'.repeat(50)}`
    expect(wrapWords(`看 ${address} 好`, 40)).toContain(address)
    expect(wrapWords(`see ${address}`, 40)).toEqual(['see', address])
  })
})

describe('hideSqliteWarning', () => {
  it('hides the warning that SQLite is experimental, and no other', () => {
    const shown: unknown[][] = []
    const process = { emitWarning: (...warning: unknown[]) => void shown.push(warning) }
    hideSqliteWarning(process)
    process.emitWarning(
      'SQLite is an experimental feature and might change at any time',
      'ExperimentalWarning',
    )
    process.emitWarning('SQLite is an experimental feature', 'OtherWarning')
    process.emitWarning('A leak', 'Warning')
    expect(shown).toEqual([
      ['SQLite is an experimental feature', 'OtherWarning'],
      ['A leak', 'Warning'],
    ])
  })
})
