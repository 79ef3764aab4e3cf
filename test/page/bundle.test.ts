import { expect, it } from 'vitest'
import { builtPage } from './built.ts'

it('is a report of less than 500 kB without the content of a session', async () => {
  expect(Buffer.byteLength(await builtPage())).toBeLessThan(500_000)
})
