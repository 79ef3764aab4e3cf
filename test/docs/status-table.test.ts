import { expect, it } from 'vitest'
import { STATUS_WORDS } from '../../src/core/selectors/status.ts'
import { pageAt } from './pages.ts'

it('has every status, and every word that people see', () => {
  const [, table = ''] = /\n\| status of (.*?)\n\n/s.exec(pageAt('docs/live-sessions.md')) ?? []
  const found = [...table.matchAll(/`([a-z_ ]+)`/g)].map(([, word]) => word)
  expect(found).toEqual(expect.arrayContaining(Object.keys(STATUS_WORDS)))
  expect(found).toEqual(expect.arrayContaining(Object.values(STATUS_WORDS)))
})
