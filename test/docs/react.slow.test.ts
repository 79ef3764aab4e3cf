import { once } from 'node:events'
import { appendFileSync, createReadStream, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { type Example, examples, newExampleFolder, ROOT } from './pages.ts'
import { onPage, reactPage } from './react-page.ts'

const FILES = 'docs/server-to-browser.md'
const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const inBrowser = examples.filter(({ options }) => options.includes('browser'))
const [readmeServer] = examples.filter(
  ({ page, options }) => page === 'README.md' && options.includes('server'),
)

const page = reactPage()
const folder = newExampleFolder()

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
    await use(server)
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

it('docs/server-to-browser.md serves a file that grows, and one that is written anew', async () => {
  const [served] = examples.filter(({ page: path, options }) => path === FILES && options.includes('server'))
  writeFileSync(join(folder, 'file-server.ts'), served?.code ?? '')
  const { handle, show } = await import(join(folder, 'file-server.ts'))
  await use(createServer(handle).listen(0, '127.0.0.1'))
  const session = join(folder, 'session.ndjson')
  const lines = readFileSync(join(ROOT, RECORDING), 'utf8').split(/(?<=\n)/)
  const shows = (text: string, isShown = true) =>
    vi.waitFor(() => expect(page.text().includes(text)).toBe(isShown), 20_000)
  writeFileSync(session, lines.slice(0, 3).join(''))
  const stop = new AbortController()
  const shown: Promise<void> = show(session, stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await shown
  })

  for (const example of inBrowser.filter(({ page: path }) => path === 'README.md'))
    await import(write(example))
  appendFileSync(session, lines.slice(3).join(''))
  await shows('The nested check is complete.')
  writeFileSync(session, lines.slice(0, 3).join(''))
  await shows('The nested check is complete.', false)
  writeFileSync(session, lines.join(''))
  await shows('The nested check is complete.')
})

/** Sends the requests of the page to the server, for one test. */
async function use(server: Server): Promise<void> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const own = globalThis.fetch
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => own(`http://127.0.0.1:${port}${path}`, init))
  onTestFinished(() => void server.close().closeAllConnections())
}

let count = 0

/** Writes the example; returns the path of its file. */
function write({ page: path, at, code }: Example): string {
  count += 1
  const file = join(folder, `${path.replace(/\W/g, '-')}-${at}-${count}.tsx`)
  writeFileSync(file, onPage(code))
  return file
}
