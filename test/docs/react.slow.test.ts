import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { afterAll, expect, it, vi } from 'vitest'
import { readTranscript } from '../../src/index.ts'
import { type Example, examples, ROOT } from './pages.ts'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const inBrowser = examples.filter(({ options }) => options.includes('browser'))

const folder = mkdtempSync(join(import.meta.dirname, '.example-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('finds pages that show a session', () => {
  expect(inBrowser.length).toBeGreaterThan(0)
})

it.each(inBrowser.map((example) => [`${example.page} example ${example.at}`, example] as const))(
  '%s shows a live session with its subagents',
  async (_, example) => {
    const { window } = new JSDOM('<body></body>')
    const streams: FakeEventSource[] = []
    class FakeEventSource {
      onmessage: ((message: { readonly data: string }) => void) | null = null
      constructor() {
        streams.push(this)
      }
    }
    // They stay: React still works when the test is over, and nothing else runs in this file's process.
    vi.stubGlobal('window', window)
    vi.stubGlobal('document', window.document)
    vi.stubGlobal('navigator', window.navigator)
    vi.stubGlobal('EventSource', FakeEventSource)
    await import(write(example))

    const { events } = readTranscript('claude-sdk', readFileSync(join(ROOT, RECORDING), 'utf8'))
    for (const event of events)
      for (const stream of streams) stream.onmessage?.({ data: JSON.stringify(event) })
    await vi.waitFor(() => {
      const shown = window.document.body.textContent
      expect(shown).toContain('Docs check: success')
      expect(shown).toContain('Read README: success')
      expect(shown).toContain('INNER-REPORT: the README says "A tiny project."')
      expect(shown).toContain('The nested check is complete.')
    })
  },
)

/** Writes the example; returns the path of its file. */
function write({ page, at, code }: Example): string {
  const file = join(folder, `${page.replace(/\W/g, '-')}-${at}.tsx`)
  writeFileSync(file, `/** @jsxRuntime automatic */\n${code}`)
  return file
}
