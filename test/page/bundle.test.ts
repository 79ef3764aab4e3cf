import { expect, it } from 'vitest'
import { builtReport } from './built.ts'

it('is a report of less than 500 kB without the content of a session', async () => {
  expect(Buffer.byteLength(await builtReport())).toBeLessThan(500_000)
})
