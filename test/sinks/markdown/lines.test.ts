import { expect, it } from 'vitest'
import { showControls } from '../../../src/redaction/printable.ts'
import { lastLines } from '../../../src/sinks/markdown/text/escape.ts'

it.each([
  ['a\u001b[8mb', 'a␛[8mb'],
  ['a\u0008\u007f\u0085', 'a␈␡\ufffd'],
  ['one\r\ntwo\rthree\n\tfour', 'one\r\ntwo␍three\n\tfour'],
  ['rm\u200b -rf\u2028\u202e /', 'rm\ufffd -rf\ufffd\ufffd /'],
  ['a\u200db \u200c.', 'a\ufffdb \ufffd.'],
  ['👩\u200d💻 می\u200cخواهم', '👩\u200d💻 می\u200cخواهم'],
])('shows each character that hides text, and none that a script or an emoji needs: %j', (text, shown) => {
  expect(showControls(text)).toBe(shown)
})

it('finds the last lines with words, and no frames of a stack', () => {
  const text = 'one\n\nError: no tea\n    at brew (tea.js:1)\n────\nlast'
  expect(lastLines(text, 2)).toEqual(['Error: no tea', 'last'])
  expect(lastLines('────\n', 2)).toEqual([])
})
