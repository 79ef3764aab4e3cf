import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { type Example, examples, ROOT } from './pages.ts'
import { onPage, reactPage } from './react-page.ts'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const inBrowser = examples.filter(({ options }) => options.includes('browser'))
const [readmeServer] = examples.filter(
  ({ page, options }) => page === 'README.md' && options.includes('server'),
)

const page = reactPage()
const folder = mkdtempSync(join(import.meta.dirname, '.example-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('finds pages that show a session, and their server', () => {
  expect(inBrowser.length).toBeGreaterThan(0)
  expect(readmeServer?.code).toContain(".listen(4180, '127.0.0.1')")
})

// The page of the README read bare events, which no server of this library sends: it stayed empty, without an error.
it.each(inBrowser.map((example) => [`${example.page} example ${example.at}`, example] as const))(
  '%s shows a live session of the server in the README, with its subagents',
  async (_, example) => {
    const file = join(folder, 'server.ts')
    writeFileSync(file, readmeServer?.code.replace('4180', '0') ?? '')
    const { server, show } = await import(file)
    if (!server.listening) await once(server, 'listening')
    const own = globalThis.fetch
    vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
      own(`http://127.0.0.1:${server.address().port}${path}`, init),
    )
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await import(write(example))
    await show(createReadStream(join(ROOT, RECORDING)))
    await vi.waitFor(() => {
      const shown = page.text()
      expect(shown).toContain('Docs check: success')
      expect(shown).toContain('Read README: success')
      expect(shown).toContain('INNER-REPORT: the README says "A tiny project."')
      expect(shown).toContain('The nested check is complete.')
    }, 5000)
  },
)

/** Writes the example; returns the path of its file. */
function write({ page: path, at, code }: Example): string {
  const file = join(folder, `${path.replace(/\W/g, '-')}-${at}.tsx`)
  writeFileSync(file, onPage(code))
  return file
}
