import { expect, it } from 'vitest'
import { imageSize } from './image-size.ts'

const base64 = (...parts: readonly (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64')

const PNG = base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', [0, 0, 0x3e, 0x80, 0, 0, 0, 2])
const JPEG_HEAD = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc4, 0, 2]
const JPEG = base64(JPEG_HEAD, [0xff, 0xc2, 0, 11, 8, 0, 2, 0x3e, 0x80, 1])
const GIF_HEAD = 'GIF89a\x01\0\x02\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0'
const GIF = base64(GIF_HEAD, [0x2c, 0, 0, 0, 0, 0x80, 0x3e, 2, 0])
const LOSSY = base64('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a', [0x80, 0x3e, 2, 0])
const LOSSLESS = base64('RIFF\0\0\0\0WEBPVP8L\0\0\0\0/', [0x7f, 0x7e, 0, 0])
const EXTENDED = base64('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0', [0x7f, 0x3e, 0, 1, 0, 0])

it.each([
  ['PNG', PNG],
  ['JPEG', JPEG],
  ['GIF whose first frame is larger than the image', GIF],
  ['lossy WebP', LOSSY],
  ['lossless WebP', LOSSLESS],
  ['extended WebP', EXTENDED],
  ['PNG in lines of base64', PNG.replace(/.{4}/g, '$&\n')],
])('reads the size of a %s', (_, data) => {
  expect(imageSize(data)).toEqual({ width: 16_000, height: 2 })
})

it.each(['', '%%%', btoa('x'), btoa('<svg/>'), PNG.slice(0, 20), JPEG.slice(0, 16), GIF.slice(0, 32)])(
  'knows no size of the faulty data %j',
  (data) => {
    expect(imageSize(data)).toBeUndefined()
  },
)
