import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ServedSession, serveMachine } from '../../src/cli/serve/serve-session.ts'
import { basic, casesOf, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { builtPage } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'

const SESSIONS = 400
const MINUTE = 60_000
const FOLDERS = [
  '/srv/shop',
  '/srv/shop/api',
  '/srv/notes',
  '/srv/a-folder-with-a-very-long-name-that-has-no-end',
]
const PROMPTS = [
  'Fix the rounding of prices in the cart',
  'Add a test for the parser',
  'اكتب اختبارًا للمحلل',
  'Why does the build fail on Windows? It says that a path is too long, but every path is short, and the same build works on the other machine that we have',
]

describe.skipIf(skipReason)(`the list of sessions ${skipReason ?? ''}`, () => {
  let browser: Browser
  let home = ''
  let served: ServedSession
  const stop = new AbortController()
  const errors: string[] = []

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'agentfold-list-'))
    await writeSessions(home)
    browser = await sharedBrowser()
    served = await serveMachine({
      page: await builtPage(),
      home,
      signal: stop.signal,
      redact: undefined,
      port: 0,
    })
  }, 120_000)
  afterEach(async () => {
    await closePages(browser)
    expect(errors.splice(0)).toEqual([])
  })
  afterAll(async () => {
    stop.abort()
    await served?.close()
    await rm(home, { recursive: true })
  })

  /** Returns a page that has the status of each session. */
  async function open(options: BrowserContextOptions = {}, query = ''): Promise<Page> {
    const page = await browser.newPage(options)
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(`${served.url}${query}`)
    await expect.poll(() => countOn(page)).toContain('400 sessions')
    return page
  }

  basic('has the rows in view of 400 sessions, and filters all of them', async () => {
    const page = await open()
    await expect.poll(() => page.locator('.list-row .status').count()).toBeGreaterThan(5)
    await expect.poll(() => page.locator('.list-row').count()).toBeLessThan(60)
    await expect.poll(() => page.locator('.list-title').first().textContent()).toBe(`0: ${PROMPTS[0]}`)
    await page.getByRole('searchbox').fill('399: windows')
    await expect.poll(() => countOn(page)).toBe('1 of 400 sessions')
    await page.getByRole('searchbox').fill('parser')
    await expect.poll(() => countOn(page)).toBe('100 of 400 sessions')
    await page.getByRole('combobox', { name: 'Folder' }).selectOption('/srv/shop')
    await expect.poll(() => countOn(page)).toBe('100 of 400 sessions')
    await page.getByRole('combobox', { name: 'Changed' }).selectOption('1')
    await expect.poll(() => countOn(page)).toBe('72 of 400 sessions')
    await page.getByLabel('Failed').check()
    await expect.poll(() => countOn(page)).toBe('15 of 400 sessions')
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => countOn(page)).toBe('400 sessions')
  })

  basic('opens a session, and Back returns to the same place and filter', async () => {
    const page = await open({}, '?text=parser')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('parser')
    await page.evaluate(() => window.scrollTo(0, 1_800))
    const row = page.locator('.list-row', { hasText: '125: Add' })
    await row.scrollIntoViewIfNeeded()
    const placeOf = async () => (await row.boundingBox())?.y ?? Number.NaN
    const before = await placeOf()
    await row.click()
    await page.locator('[data-type="assistant_text"]', { hasText: 'The answer to session 125.' }).waitFor()
    await page.waitForSelector('[data-connection="live"]')
    await page.goBack()
    await expect.poll(() => countOn(page)).toBe('100 of 400 sessions')
    await row.waitFor()
    await expect.poll(async () => Math.abs((await placeOf()) - before)).toBeLessThan(4)
    await row.click()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await expect.poll(() => countOn(page)).toBe('400 sessions')
  })

  basic('searches the texts of all sessions', async () => {
    const page = await open()
    await page.getByRole('searchbox').fill('pomegranate')
    await expect.poll(() => countOn(page)).toBe('0 of 400 sessions')
    await page.keyboard.press('Enter')
    await expect.poll(() => countOn(page)).toBe('1 session with “pomegranate”')
    await expect.poll(() => page.locator('.list-context mark').textContent()).toBe('pomegranate')
    await page.getByRole('searchbox').fill('')
    await expect.poll(() => countOn(page)).toBe('400 sessions')
  })

  it.each(casesOf(['light', 'dark'] as const))(
    'explains an address that is not complete, %s',
    async (colorScheme) => {
      const page = await browser.newPage({ colorScheme, bypassCSP: true })
      await page.goto(new URL('/', served.url).href)
      await page.getByRole('heading', { name: 'The address is not complete' }).waitFor()
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      expect(paper).toBe(colorScheme === 'light' ? 'rgb(252, 251, 249)' : 'rgb(23, 24, 26)')
      await expect.poll(() => problemsOn(page)).toEqual([])
    },
  )

  further('explains an address of no session', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(`${served.url}${'a'.repeat(22)}`)
    await page.getByText('The session is not here').waitFor()
    await expect.poll(() => page.locator('[data-session-status]').count()).toBe(0)
    const connection = page.locator('.connection')
    await expect
      .poll(() => connection.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      .toBe(0)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390)
  })

  further('says that the server has ended', async () => {
    const page = await open()
    await page.route('**/list', (route) => route.abort())
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect.poll(() => countOn(page)).toContain('The server has ended')
    await expect.poll(() => page.locator('.list-row').count()).toBeGreaterThan(5)
  })

  further.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'has no problem that axe finds, and no overflow, %s and %i wide',
    async (colorScheme, width) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } })
      await expect.poll(() => page.locator('.list-row .status').count()).toBeGreaterThan(5)
      const folder = process.env.SCREENSHOTS
      if (folder) await page.screenshot({ path: join(folder, `list-${colorScheme}-${width}.png`) })
      await expect.poll(() => problemsOn(page)).toEqual([])
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(width)
      const gaps = await page
        .locator('.list-rows > li')
        .evaluateAll((rows) =>
          rows.map((row) => row.clientHeight - (row.firstElementChild?.clientHeight ?? 0)),
        )
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...gaps)).toBeLessThan(8)
    },
  )
})

function countOn(page: Page): Promise<string> {
  return page.locator('.list-count').innerText()
}

/** Sessions of Claude Code, one every five minutes. Each tenth one has failed. */
async function writeSessions(home: string): Promise<void> {
  const folder = join(home, '.claude', 'projects', '-srv')
  await mkdir(folder, { recursive: true })
  const now = Date.now()
  for (let at = 0; at < SESSIONS; at += 1) {
    const sessionId = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    await writeFile(
      join(folder, `${sessionId}.jsonl`),
      sessionText(at, { sessionId, time: now - at * 5 * MINUTE }),
    )
  }
}

function sessionText(
  at: number,
  { sessionId, time }: { readonly sessionId: string; readonly time: number },
): string {
  const timestamp = (ms: number) => new Date(time + ms).toISOString()
  const facts = { sessionId, cwd: FOLDERS[at % FOLDERS.length], version: '2.1.0', isSidechain: false }
  const hasFailed = at % 10 === 1
  const text = hasFailed
    ? 'API Error: 529 overloaded'
    : `The answer to session ${at}.${at === 77 ? ' It is a pomegranate.' : ''}`
  const message = {
    ...{
      id: `msg-${at}`,
      type: 'message',
      role: 'assistant',
      model: hasFailed ? '<synthetic>' : 'claude-opus-4-5',
    },
    ...{ content: [{ type: 'text', text }], stop_reason: hasFailed ? 'stop_sequence' : 'end_turn' },
    usage: { input_tokens: 10, output_tokens: 5 },
  }
  const prompt = { role: 'user', content: `${at}: ${PROMPTS[at % PROMPTS.length]}` }
  return [
    {
      ...facts,
      type: 'user',
      uuid: `u-${at}`,
      parentUuid: null,
      message: prompt,
      timestamp: timestamp(-90_000),
    },
    {
      ...{
        ...facts,
        type: 'assistant',
        uuid: `a-${at}`,
        parentUuid: `u-${at}`,
        message,
        timestamp: timestamp(0),
      },
      ...(hasFailed && { isApiErrorMessage: true }),
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}
