import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
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
    // A search reads 400 sessions.
    await expect.poll(() => countOn(page), { timeout: 180_000 }).toMatch(/400 sessions|with/)
    if (!query.includes('search')) await rowsIn(page, 'failed').first().waitFor()
    return page
  }

  basic('has the rows in view of 400 sessions, and filters all of them', async () => {
    const page = await open()
    await expect.poll(() => rowsIn(page, 'failed').first().textContent()).toContain(`1: ${PROMPTS[1]}`)
    await expect.poll(() => page.locator('.list-row').count()).toBeLessThan(60)
    // Paper had a hole in place of the rows out of view.
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    await expect.poll(() => page.locator('.list-row').count()).toBe(SESSIONS)
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
    await expect.poll(() => page.locator('.list-row').count()).toBeLessThan(60)
    await expect.poll(() => rowsIn(page, 'done').first().textContent()).toContain(`0: ${PROMPTS[0]}`)
    await page.getByRole('searchbox').fill('399: windows')
    await expect.poll(() => countOn(page)).toBe('1 of 400 sessions')
    await page.getByRole('searchbox').fill('parser')
    await expect.poll(() => countOn(page)).toBe('100 of 400 sessions')
    await page.getByRole('combobox', { name: 'Folder' }).selectOption('/srv/shop')
    await expect.poll(() => countOn(page)).toBe('100 of 400 sessions')
    await page.getByRole('combobox', { name: 'Changed' }).selectOption('1')
    await expect.poll(() => countOn(page)).toBe('72 of 400 sessions')
    await page.getByRole('button', { name: 'Failed 15' }).click()
    await expect.poll(() => countOn(page)).toBe('15 of 400 sessions')
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => countOn(page)).toBe('400 sessions')
  })

  basic('opens a session, and Back returns to the same place and filter', async () => {
    const page = await open({}, '?filter=parser')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('parser')
    await page.evaluate(() => window.scrollTo(0, 3_500))
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

  basic('saves a search under a name, and shows it again after a reload', async () => {
    const page = await open({}, '?filter=parser&status=failed')
    await page.getByRole('button', { name: 'Save this search' }).click()
    await page.keyboard.type('Broken parsers')
    await page.keyboard.press('Enter')
    const chip = page.getByRole('button', { name: 'Broken parsers', exact: true })
    await expect.poll(() => chip.getAttribute('aria-pressed')).toBe('true')
    const screenshots = process.env.SCREENSHOTS
    if (screenshots) await page.screenshot({ path: join(screenshots, 'saved.png') })
    await expect.poll(() => countOn(page)).toMatch(/^\d+ of 400 sessions$/)
    const count = await countOn(page)
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => countOn(page)).toBe('400 sessions')
    await page.reload()
    await chip.click()
    await expect.poll(() => countOn(page)).toBe(count)
    expect(page.url()).toContain('?filter=parser&status=failed')
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove the search Broken parsers' }).click()
    await expect.poll(() => chip.count()).toBe(0)
    await page.getByRole('button', { name: 'Save this search' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save this search' }).waitFor()
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

  // The address of a session that never was showed the page of a session.
  it.each(['nothing', 'a'.repeat(22)])('has a page for an address of nothing: %s', async (end) => {
    const page = await browser.newPage()
    const response = await page.goto(`${served.url}${end}`)
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
    await page.getByRole('link').click()
    await expect.poll(() => countOn(page)).toContain('400 sessions')
  })

  further('explains a session that the server cannot read any more', async () => {
    const page = await open({ viewport: { width: 390, height: 844 } })
    await page.route('**/events/*', (route) => route.fulfill({ status: 404 }))
    await page.locator('.list-row').first().click()
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

  // Each row was 70 px wide, and the first of 99 stood at y = 4,699.
  basic('has the first of many hits in view, as wide as the list', async () => {
    const page = await open({ viewport: { width: 1440, height: 900 } }, '?search=answer')
    await expect.poll(() => countOn(page)).toBe('360 sessions with “answer”')
    const box = await page.locator('.list-row').first().boundingBox()
    const list = await page.locator('.session-list').boundingBox()
    expect(box?.y).toBeLessThan(300)
    expect(box?.width).toBeGreaterThan((list?.width ?? 0) - 60)
  })

  // The search was not in the address, and a hit opened at the top of the session.
  basic('opens a hit at its place with the words marked, and Back has the hits again', async () => {
    const page = await open()
    await page.getByRole('searchbox').fill('pomegranate')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('?search=pomegranate')
    await page.locator('.list-row').click()
    await page.waitForSelector('[data-connection="live"]')
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('search')?.size)).toBeGreaterThan(0)
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('pomegranate')
    expect(page.url()).toMatch(/\?find=pomegranate#./)
    await page.goBack()
    await expect.poll(() => countOn(page)).toBe('1 session with “pomegranate”')
    await page.locator('.list-context mark', { hasText: 'pomegranate' }).waitFor()
    await page.goBack()
    await expect.poll(() => countOn(page)).toBe('0 of 400 sessions')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('pomegranate')
  })

  basic('has a whole ring around the row with the focus', async () => {
    const page = await open()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect.poll(() => page.locator('.list-row:focus-visible').count()).toBe(1)
    const cut = await page.locator('.list-row:focus-visible').evaluate((row) => {
      const { outlineOffset, outlineWidth } = getComputedStyle(row)
      const reach = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth)
      const { top, right, bottom, left } = row.getBoundingClientRect()
      for (let box = row.parentElement; box && box !== document.body; box = box.parentElement) {
        if (getComputedStyle(box).overflow === 'visible') continue
        const around = box.getBoundingClientRect()
        const isWhole = top - reach >= around.top && bottom + reach <= around.bottom
        if (!isWhole || left - reach < around.left || right + reach > around.right) return box.className
      }
      // The next row covers what is below this one.
      return reach > 0 ? 'the next row' : undefined
    })
    expect(cut).toBeUndefined()
  })

  basic('goes through the list by keys', async () => {
    const page = await open()
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate(() => document.activeElement?.querySelector('.list-title')?.textContent)
    await page.keyboard.press('j')
    await expect.poll(focused).toBe(`1: ${PROMPTS[1]}`)
    await page.keyboard.press('j')
    await expect.poll(focused).toContain('11: ')
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await expect.poll(focused).toBe(`1: ${PROMPTS[1]}`)
    await page.keyboard.press('x')
    await expect.poll(focused).toContain('11: ')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('o')
    await page.waitForSelector('[data-connection="live"]')
  })

  basic('names its columns', async () => {
    const page = await open({ viewport: { width: 1440, height: 900 } })
    const places = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().right)))
    const [, changed, duration] = await places('.list-columns > span')
    await expect
      .poll(() => page.locator('.list-columns').innerText())
      .toMatch(/Session\s+Changed\s+Duration\s+Cost/)
    await expect.poll(async () => (await places('.list-age'))[0]).toBe(changed)
    await expect.poll(async () => (await places('.list-duration'))[0]).toBe(duration)
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
      await rowsIn(page, 'failed').first().waitFor()
      const folder = process.env.SCREENSHOTS
      if (folder) await page.screenshot({ path: join(folder, `list-${colorScheme}-${width}.png`) })
      await expect.poll(() => problemsOn(page)).toEqual([])
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(width)
      const gaps = await page.locator('.list-row').evaluateAll((rows) =>
        rows.map((row) => {
          const last = row.lastElementChild?.getBoundingClientRect().bottom ?? Number.NaN
          return row.getBoundingClientRect().bottom - last
        }),
      )
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4)
      expect(Math.max(...gaps)).toBeLessThan(20)
    },
  )
})

function rowsIn(page: Page, group: string): Locator {
  return page.locator(`[data-group="${group}"] .list-row`)
}

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
