import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTranscript } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closePages, sharedBrowser, skipReason } from '../../test/page/chromium.ts'
import { runExample } from '../command.ts'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { handle, show } from './server.ts'

const here = import.meta.dirname
const RECORDING = join(here, '../../fixtures/claude-code/03-tools/stream.ndjson')

it.each([
  ['ts server', 'server.ts', 15],
  ['tsx client', 'client.tsx', 25],
])(
  'docs/server-to-browser.md shows the code %s, which is %s with at most %i lines',
  async (name, file, most) => {
    const text = await readFile(join(here, '../../docs/server-to-browser.md'), 'utf8')
    const [, code] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(text) ?? []
    expect(code).toBe(await readFile(join(here, file), 'utf8'))
    expect(code?.trim().split('\n').length).toBeLessThanOrEqual(most)
  },
)

describe.skipIf(skipReason)(`the server and the client ${skipReason ?? ''}`, () => {
  let browser: Browser
  let folder = ''
  let lines: readonly string[] = []
  beforeAll(async () => {
    browser = await sharedBrowser()
    lines = (await readFile(RECORDING, 'utf8')).split(/(?<=\n)/)
  })
  afterAll(() => closePages(browser))

  let server: Server
  let shown: Promise<void>
  let stop = new AbortController()
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-'))
    server = await pageServer('react-server/client.tsx', { title: 'A session', handle })
    stop = new AbortController()
    await writeFile(path(), lines.slice(0, 20).join(''))
    shown = show(path(), stop.signal)
  })
  afterEach(async () => {
    stop.abort()
    await shown
    server.close().closeAllConnections()
    await rm(folder, { recursive: true })
  })
  const path = () => join(folder, 'session.ndjson')

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => expect.unreachable(String(error)))
    await page.goto(url)
    await page.waitForSelector('h1')
    return page
  }

  /** Waits for the texts of all answers. */
  async function agree(page: Page): Promise<void> {
    const { blocks } = parseTranscript('claude-sdk', lines.join(''))
    const texts = blocks.flatMap((block) => (block.type === 'assistant_text' ? block.content : []))
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'finished' }).waitFor()
  }

  it('show a session that continues, also to a page that joins late', async () => {
    const url = await listen(server)
    const page = await open(url)
    await appendFile(path(), lines.slice(20).join(''))
    await agree(page)
    await agree(await open(url))
  })

  it('show the state of a file that was written anew, without a reload', async () => {
    await writeFile(path(), lines.join(''))
    const page = await open(await listen(server))
    await agree(page)
    await writeFile(path(), lines.slice(0, 3).join(''))
    await page.getByRole('heading', { name: 'running' }).waitFor()
    await writeFile(path(), lines.join(''))
    await agree(page)
  })

  it('run with one command, and show an agent within an agent', async () => {
    const example = await runExample('react-server')
    try {
      const page = await open(example.url)
      await page.locator('section section').waitFor()
      await page.getByRole('heading', { name: 'finished' }).waitFor()
      await expect.poll(() => page.locator('section section').innerText()).toContain('INNER-REPORT')
    } finally {
      await example.stop()
    }
  })
})
