import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { type ServedSession, serveMachine } from '../../src/cli/serve/serve-session.ts'
import { basic, further } from '../depth.ts'
import { builtPage, builtReport } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'
import { ListHome, textOf } from './list-home.ts'

const NOW = Date.now()

// The only way to show a session to somebody else was the terminal: a link to this machine opens for nobody else.
describe.skipIf(skipReason)(`the report that the page saves ${skipReason ?? ''}`, () => {
  let folder = ''
  let browser: Browser
  let stop = new AbortController()
  let served: ServedSession | undefined

  beforeEach(async () => {
    browser = await sharedBrowser()
    folder = await mkdtemp(join(tmpdir(), 'agentfold-saved-'))
    stop = new AbortController()
    await new ListHome(folder).write({
      ...{ id: '00000000-0000-4000-8000-000000000001', prompt: 'Mend the sum & </script> the rest', at: NOW },
      ...{ content: textOf('The sum is mended. Ask mira@example.com.'), stop: 'end_turn' },
    })
  }, 120_000)
  afterEach(async () => {
    await closePages(browser)
    stop.abort()
    await served?.close()
    await rm(folder, { recursive: true })
  })

  async function openSession(options: { readonly redact?: true; readonly report?: string }) {
    const { report, redact } = options
    served = await serveMachine({
      ...{ page: await builtPage(), report, redact, home: folder, signal: stop.signal },
    })
    const page = await browser.newPage()
    await page.goto(served.url)
    await page.locator('.list-row').click()
    await page.waitForSelector('[data-connection="live"]', { state: 'attached' })
    await page.locator('.session-outcome').waitFor()
    return page
  }

  basic('is one file with what the page shows, and opens without a server', async () => {
    const page = await openSession({ redact: true, report: await builtReport() })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save report' }).click(),
    ])
    // An empty report is no page, and nobody gets it without the token of the address.
    const empty = await fetch(new URL('../report', served?.url))
    expect([empty.status, empty.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect((await fetch(new URL('/no/report', served?.url))).status).toBe(403)
    expect(download.suggestedFilename()).toMatch(/^Mend.*\.html$/)
    const path = join(folder, 'saved.html')
    await download.saveAs(path)
    await served?.close()
    const context = await browser.newContext({ offline: true })
    const saved = await context.newPage()
    await saved.goto(pathToFileURL(path).href)
    await expect.poll(() => saved.title()).toContain('Mend the sum &')
    await expect.poll(() => saved.locator('.rows').innerText()).toContain('The sum is mended.')
    expect(await saved.content()).not.toContain('mira@example.com')
    await expect.poll(() => saved.getByRole('button', { name: 'Save report' }).count()).toBe(0)
  })

  further('is not offered by a server that has none', async () => {
    const page = await openSession({})
    await expect.poll(() => page.getByRole('button', { name: 'Copy link' }).count()).toBe(1)
    await expect.poll(() => page.getByRole('button', { name: 'Save report' }).count()).toBe(0)
  })
})
