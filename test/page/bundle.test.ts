import { expect, it } from 'vitest'
import { buildPage } from '../../tools/page/bundle.ts'

it('is a report of less than 500 kB without the content of a session', async () => {
  expect(Buffer.byteLength(await buildPage())).toBeLessThan(500_000)
})
