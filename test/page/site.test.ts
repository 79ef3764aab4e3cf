import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { createInitialConversationState, type SessionConversationState } from 'agentfold'
import { snapshot } from 'agentfold/sync'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { htmlReport } from '../../src/cli/page/html-report.ts'
import { readSession } from '../../src/entries/node.ts'
import { basic, casesOf, further } from '../depth.ts'
import { builtReport, builtSite } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const NESTED = join(FIXTURES, 'claude-code/06-nested-forward')
const EXAMPLES = [
  ...['claude-code', 'codex', 'opencode', 'gemini', 'copilot', 'qwen', 'kimi'],
  ...['cline', 'pi', 'oh-my-pi', 'grok', 'kilo', 'acp', 'ag-ui'],
]

const message = (id: string, content: string, conversationId: string) =>
  ({ type: 'user_message', id, status: 'complete', content, conversationId }) as const
const ownAgent = (toolUseId: string, conversationId: string) =>
  ({
    type: 'subagent',
    id: `subagent:${toolUseId}`,
    status: 'success',
    toolUseId,
    input: '',
    conversationId,
  }) as const

/** No reducer makes such a state. */
const NESTS_ITSELF: SessionConversationState = {
  ...createInitialConversationState(),
  blocks: [message('p', 'The first words.', 'main'), ownAgent('a', 'main')],
  subagents: ['a', 'b'].map((toolUseId) => ({
    ...{ toolUseId, status: 'success', usage: [], parentConversationId: toolUseId === 'a' ? 'b' : 'a' },
    blocks: [
      message(`${toolUseId}p`, 'Words of the agent.', toolUseId),
      ownAgent('a', toolUseId),
      ownAgent('b', toolUseId),
    ],
  })),
}

const snapshotOf = (state: SessionConversationState) => snapshot({ epoch: 'link', seq: 0, state })

describe.skipIf(skipReason)(`the site, from the disk and offline ${skipReason ?? ''}`, () => {
  let browser: Browser
  let folder = ''
  let site = ''
  const problems: string[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-site-'))
    site = await builtSite()
    browser = await sharedBrowser()
  })
  afterAll(() => rm(folder, { recursive: true }))
  afterEach(async () => {
    await closePages(browser)
    expect(problems.splice(0)).toEqual([])
  })

  const addressOf = (place: string) => pathToFileURL(site).href + place

  async function open(place = '/index.html', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ offline: true, ...options })
    const page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => problems.push(message.text()))
    page.on('request', (request) => {
      if (!/^(?:file|data):/.test(request.url())) problems.push(request.url())
    })
    await page.goto(addressOf(place))
    return page
  }

  it.each(casesOf(EXAMPLES))('opens the example of %s', async (name) => {
    const page = await open()
    const links = page.locator('.examples a')
    await expect.poll(() => links.count()).toBe(EXAMPLES.length)
    await page.locator(`.examples a[href="?example=${name}"]`).click()
    await page.locator('.rows').getByRole('article').first().waitFor()
    await page.goBack()
    await links.first().waitFor()
  })

  basic('opens a file that is dropped on it', async () => {
    const page = await open()
    await drop(page, join(FIXTURES, 'pi/0.74-06-subagent/stream.ndjson'))
    await page.getByRole('article').first().waitFor()
    await expect.poll(() => page.locator('.bar h1').innerText()).not.toBe('')
    await page.getByRole('link', { name: 'Open another session' }).click()
    await page.getByRole('heading', { name: 'Read a session of a coding agent' }).waitFor()
  })

  basic('opens a folder with the files of its agents', async () => {
    const page = await open()
    await drop(page, join(NESTED, 'transcript'))
    for (const name of ['Docs check', 'Read README'])
      await page.getByRole('article', { name: `Subagent ${name}` }).waitFor()
    await page.getByText('INNER-REPORT').first().waitFor()
  })

  // Only Chromium has handles for what is dropped.
  further('opens a folder in browsers without handles, from a server', async () => {
    const html = await readFile(join(site, 'index.html'))
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const page = await (await browser.newContext()).newPage()
    await page.addInitScript(() => {
      Reflect.deleteProperty(DataTransferItem.prototype, 'getAsFileSystemHandle')
    })
    await page.goto(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}/`)
    await drop(page, join(NESTED, 'transcript'))
    await page.getByRole('article', { name: 'Subagent Read README' }).waitFor()
  })

  basic('opens what a person chooses', async () => {
    const page = await open()
    await page.getByLabel('Choose a file').setInputFiles(join(NESTED, 'stream.ndjson'))
    await page.getByRole('article', { name: 'Subagent Docs check' }).waitFor()
    // The second file has the same name.
    await drop(page, join(FIXTURES, 'claude-code/01-plain-text/stream.ndjson'))
    await expect.poll(() => page.getByRole('article', { name: 'Subagent Docs check' }).count()).toBe(0)
    await page.getByRole('article').first().waitFor()
  })

  basic('lets a person choose among several sessions', async () => {
    const page = await open()
    await drop(page, join(FIXTURES, 'opencode-requests/07-edits/export'), join(NESTED, 'transcript'))
    const choice = page.getByRole('region', { name: '2 sessions' })
    await choice.getByRole('button', { name: /\.jsonl$/ }).click()
    await page.getByRole('article', { name: 'Subagent Docs check' }).waitFor()
  })

  it.each(
    casesOf([
      ['unknown.jsonl', '{"tea":1}\n', 'No program that agentfold knows wrote this.'],
      ['empty.jsonl', '', 'empty.jsonl has no message yet.'],
      ['kilo.db', 'SQLite format 3\0', 'kilo.db is a database'],
      ['page.html', '<!doctype html><p>Hi', 'page.html is a page, but no report of agentfold.'],
      [
        'broken.html',
        '<!doctype html><script type="application/json" id="session">{</script>',
        'broken.html is a page, but no report of agentfold.',
      ],
    ]),
  )('says why it opens no %s', async (name, text, message) => {
    const path = join(folder, name)
    await writeFile(path, text)
    const page = await open()
    await drop(page, path)
    await page.getByRole('alert').getByText(message).waitFor()
  })

  // One damaged file of a folder hid all others.
  further('opens the sessions beside a file that it cannot read', async () => {
    const mixed = join(folder, 'mixed')
    await cp(join(NESTED, 'transcript'), mixed, { recursive: true })
    await writeFile(join(mixed, 'rollout-2026-01-01T00-00-00-a.jsonl.zst'), 'no Zstandard')
    const page = await open()
    await drop(page, mixed)
    await page.getByRole('article', { name: 'Subagent Read README' }).waitFor()
    const other = await open()
    await drop(other, join(mixed, 'rollout-2026-01-01T00-00-00-a.jsonl.zst'))
    await other.getByRole('alert').waitFor()
  })

  further('says that a folder has no session', async () => {
    const page = await open()
    await drop(page, join(FIXTURES, 'identity'))
    await page.getByRole('alert').getByText('No program that agentfold knows').waitFor()
    await page.goto(addressOf('/index.html?example=tea'))
    await page.getByRole('alert').getByText('There is no example tea.').waitFor()
  })

  basic('opens a report of `agentfold show --html`', async () => {
    const path = join(folder, 'report.html')
    const { state } = await readSession(join(NESTED, 'stream.ndjson'))
    await writeFile(path, htmlReport(state, { page: await builtReport() }))
    const page = await open()
    await drop(page, path)
    await page.getByRole('article', { name: 'Subagent Docs check' }).waitFor()
  })

  basic('makes a link with the session in it, and opens it', async () => {
    const page = await open('/index.html?example=claude-code', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy share link' }).click()
    await page.getByText('The whole session is in the link').waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toMatch(/index\.html#session=[\w-]+$/)
    const other = await open(`/index.html${link.slice(link.indexOf('#'))}`)
    await other.getByRole('article', { name: 'Subagent Docs check' }).waitFor()
    const third = await open()
    await third.getByLabel('Share link').fill(link)
    await third.getByRole('button', { name: 'Open', exact: true }).click()
    await third.getByRole('article', { name: 'Subagent Docs check' }).waitFor()
  })

  it.each(
    casesOf([
      ['https://example.org/s/1', 'This page opens no connection, so it cannot load https://example.org/s/1'],
      ['https://example.org/#session=AAAA', 'The share link is damaged'],
      ['Hello', 'No program that agentfold knows wrote this.'],
    ]),
  )('says why it opens no %s', async (text, message) => {
    const page = await open()
    await page.getByLabel('Share link').fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText(message).waitFor()
  })

  // The texts of a file turned around what stands beside them.
  further('shows marks of directions, and obeys none', async () => {
    const prompt = {
      type: 'user',
      sessionId: 's',
      uuid: 'u',
      message: { role: 'user', content: 'rm \u202e x' },
    }
    const escaped = JSON.stringify(prompt).replace('\u202e', '\\u202e')
    for (const text of [JSON.stringify(prompt), escaped]) {
      const path = join(folder, 'a\u202eb.jsonl')
      await writeFile(path, text)
      const page = await open()
      await drop(page, path)
      await page.getByText('rm \ufffd x').first().waitFor()
      await expect.poll(() => page.locator('body').innerText()).not.toContain('\u202e')
    }
  })

  basic.each([
    [
      'a bomb',
      () => deflateRawSync(JSON.stringify(snapshotOf(NESTS_ITSELF)) + ' '.repeat(60_000_000)),
      'The share link is damaged',
    ],
    ['no state', () => deflateRawSync('{"version":1}'), 'The share link is damaged'],
    [
      'a cut one',
      () => deflateRawSync(JSON.stringify(snapshotOf(NESTS_ITSELF))).subarray(0, 40),
      'The share link is damaged',
    ],
  ])('says that a link is damaged: %s', async (_, bytes, message) => {
    const page = await open(`/index.html#session=${bytes().toString('base64url')}`)
    await page.getByRole('alert').getByText(message).waitFor()
  })

  further('opens a link whose agents contain themselves', async () => {
    const link = deflateRawSync(JSON.stringify(snapshotOf(NESTS_ITSELF))).toString('base64url')
    const page = await open(`/index.html#session=${link}`)
    await page.getByText('The first words.').first().waitFor()
    await page.keyboard.press('e')
    await page.getByText('Words of the agent.').first().waitFor()
  })

  basic('may open no connection', async () => {
    const page = await open()
    const refused = await page.evaluate(async () => {
      const violation = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective)),
      )
      await fetch('https://example.org/').catch(() => {})
      return violation
    })
    expect(refused).toBe('connect-src')
    expect(problems.splice(0).every((each) => each.includes('example.org'))).toBe(true)
  })

  basic('leads to the documentation, and through it', async () => {
    const page = await open()
    await page.getByRole('link', { name: 'Documentation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Share a session' }).click()
    await page.getByRole('heading', { level: 1, name: 'Share a session' }).waitFor()
    await page.getByRole('link', { name: 'Open a session' }).click()
    await page.getByRole('heading', { name: 'Read a session of a coding agent' }).waitFor()
  })

  further.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no problem that axe finds, %s and %i wide', async (colorScheme, width) => {
    for (const place of [
      '/index.html',
      '/index.html?example=codex',
      '/docs/react.html',
      '/docs/README.html',
    ]) {
      const page = await open(place, { colorScheme, viewport: { width, height: 900 } })
      await page.locator('main').waitFor()
      await page.evaluate(axe.source)
      const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
      const { violations }: { violations: readonly { id: string; nodes: readonly { html: string }[] }[] } =
        JSON.parse(JSON.stringify(found))
      expect(violations.map(({ id, nodes }) => `${place} ${id}: ${nodes[0]?.html}`)).toEqual([])
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow, place).toBeLessThanOrEqual(0)
    }
  })
})

/** Drops files and folders of the disk, as a person does it. */
async function drop(page: Page, ...files: readonly string[]): Promise<void> {
  await page.locator('.site').waitFor()
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 200, data })
  await session.detach()
}
