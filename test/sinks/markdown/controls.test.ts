import { expect, it } from 'vitest'
import { showControls } from '../../../src/sinks/markdown/text/lines.ts'

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
