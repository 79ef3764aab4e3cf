import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { readTranscript } from '../../src/entries/index.ts'
import { type Example, examples, ROOT } from './pages.ts'
import { onPage, reactPage } from './react-page.ts'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const inBrowser = examples.filter(({ options }) => options.includes('browser'))

const page = reactPage()
const folder = mkdtempSync(join(import.meta.dirname, '.example-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('finds pages that show a session', () => {
  expect(inBrowser.length).toBeGreaterThan(0)
})

it.each(inBrowser.map((example) => [`${example.page} example ${example.at}`, example] as const))(
  '%s shows a live session with its subagents',
  async (_, example) => {
    await import(write(example))

    const { events } = readTranscript('claude-sdk', readFileSync(join(ROOT, RECORDING), 'utf8'))
    for (const event of events) page.send(event)
    await vi.waitFor(() => {
      const shown = page.text()
      expect(shown).toContain('Docs check: success')
      expect(shown).toContain('Read README: success')
      expect(shown).toContain('INNER-REPORT: the README says "A tiny project."')
      expect(shown).toContain('The nested check is complete.')
    })
  },
)

/** Writes the example; returns the path of its file. */
function write({ page: path, at, code }: Example): string {
  const file = join(folder, `${path.replace(/\W/g, '-')}-${at}.tsx`)
  writeFileSync(file, onPage(code))
  return file
}
