import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findHits } from './false-hits.ts'

// `npm run redaction` prints them. Another version of a package moves them a little.
it('changes about as many lines of ordinary code as the docs say', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/redaction.md'), 'utf8')
  const [, lines, megabytes, emails, folders, others] =
    /changed (\d+) lines in ([\d.]+) MB of ordinary code\. (\d+) of them have an e-mail address and (\d+) a home folder\. Most of\s+the other (\d+)/.exec(
      page,
    ) ?? []
  const { characters, hits } = findHits('node_modules')
  expect(Number(megabytes) * 1e6).toBeGreaterThan(characters * 0.9)
  expect(Number(megabytes) * 1e6).toBeLessThan(characters * 1.1)
  expect(Number(emails) + Number(folders) + Number(others)).toBe(Number(lines))
  expect(hits.length).toBeGreaterThan(Number(lines) * 0.9)
  expect(hits.length).toBeLessThan(Number(lines) * 1.1)
  const hidden = hits.filter(({ redacted }) => /\[(?:key|secret)\]/.test(redacted))
  expect(hidden.length).toBeLessThan(2 * Number(others))
})
