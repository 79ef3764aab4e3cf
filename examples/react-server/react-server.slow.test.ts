import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { readTranscript, type SessionEvent } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, skipReason } from '../app/browser/chromium.ts'
import { runExample } from '../command.ts'
import { listen } from '../listen.ts'
import { pageServer } from '../page-server.ts'
import { handle, publish, restart } from './server.ts'

const here = import.meta.dirname

it.each([
  ['ts server', 'server.ts'],
  ['tsx client', 'client.tsx'],
])('docs/server-to-browser.md shows the code %s', async (name, file) => {
  const text = await readFile(join(here, '../../docs/server-to-browser.md'), 'utf8')
  const [, code] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\``, 'ms').exec(text) ?? []
  expect(code).toBe(await readFile(join(here, file), 'utf8'))
})

describe.skipIf(skipReason)(`the server and the client ${skipReason ?? ''}`, () => {
  let browser: Browser
  let server: Server
  let url = ''
  let events: readonly SessionEvent[] = []

  beforeAll(async () => {
    server = await pageServer('react-server/client.tsx', { title: 'A session', handle })
    url = await listen(server)
    browser = await launchChromium()
    const raw = await readFile(join(here, '../../fixtures/claude-code/03-tools/stream.ndjson'), 'utf8')
    events = readTranscript('claude-sdk', raw).events
  })
  afterAll(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })

  async function open(): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => expect.unreachable(String(error)))
    await page.goto(url)
    await page.waitForSelector('h1')
    return page
  }

  /** Waits for the texts of all answers. */
  async function agree(page: Page): Promise<void> {
    const texts = events.flatMap((event) =>
      event.type === 'block:upsert' &&
      event.block.type === 'assistant_text' &&
      event.block.status === 'complete'
        ? event.block.content
        : [],
    )
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'finished' }).waitFor()
  }

  it('show a session that continues, also to a page that joins late', async () => {
    restart()
    const half = Math.floor(events.length / 2)
    for (const event of events.slice(0, half)) publish(event)
    const page = await open()
    for (const event of events.slice(half)) publish(event)
    await agree(page)
    await agree(await open())
  })

  it('send a page that connects again only the later events', async () => {
    restart()
    for (const event of events) publish(event)
    const after = events.length - 2
    const response = await fetch(`${url}events?after=0`, { headers: { 'last-event-id': String(after) } })
    const { value } = (await response.body?.getReader().read()) ?? {}
    const ids = new TextDecoder().decode(value).match(/^id: \d+$/gm)
    expect(ids).toEqual([`id: ${after + 1}`, `id: ${after + 2}`])
  })

  it('load the state of another log', async () => {
    const page = await open()
    restart()
    for (const event of events.slice(0, 2)) publish(event)
    await page.waitForEvent('load')
    for (const event of events.slice(2)) publish(event)
    await agree(page)
  })

  it('run with one command, and show an agent within an agent', async () => {
    const example = await runExample('react-server')
    try {
      const page = await browser.newPage()
      await page.goto(example.url)
      await page.locator('details details').waitFor()
      await page.getByRole('heading', { name: 'finished' }).waitFor()
      expect(await page.locator('details details').innerText()).toContain('INNER-REPORT')
    } finally {
      await example.stop()
    }
  })
})
