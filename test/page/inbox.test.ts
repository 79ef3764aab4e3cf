import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { type ServedSession, serveMachine } from '../../src/cli/serve/serve-session.ts'
import { basic, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { builtPage } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'
import { agentCall, ListHome, textOf } from './list-home.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const CREDIT =
  'API Error: 400 {"type":"error","error":{"message":"Your credit balance is too low. Please go to Plans."}}'

const QUESTION = {
  question: 'Delete the old job, or move it?',
  header: 'Job',
  multiSelect: false,
  options: [{ label: 'Move it' }, { label: 'Delete it' }],
}

const QUESTION_CALL = {
  ...{ type: 'tool_use', id: 'q1', name: 'AskUserQuestion', input: { questions: [QUESTION] } },
}

function idOf(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
}

describe.skipIf(skipReason)(`the inbox ${skipReason ?? ''}`, () => {
  let browser: Browser
  let folder = ''
  let home: ListHome
  let served: ServedSession
  let stop = new AbortController()
  const errors: string[] = []

  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-inbox-'))
    home = new ListHome(folder)
    const now = Date.now()
    await home.write({
      id: idOf(1),
      prompt: 'Fix the cart',
      at: now - HOUR,
      // The list showed `**` and the bars of the table.
      content: textOf('**All 12** tests pass.\n\n| a | b |\n| - | - |\n| 1 | 2 |'),
      stop: 'end_turn',
    })
    await home.write({
      id: idOf(2),
      prompt: 'Train the model',
      at: now - 2 * HOUR,
      content: [],
      error: CREDIT,
    })
    await home.write({
      id: idOf(3),
      prompt: 'Move the jobs',
      at: now - 3 * MINUTE,
      content: [QUESTION_CALL],
      stop: 'tool_use',
    })
    await home.write({
      id: idOf(4),
      prompt: 'Look at the servers',
      at: now - 10 * MINUTE,
      minutes: 4,
      content: agentCall(idOf(4)),
      stop: 'tool_use',
    })
    await home.writeAgent(idOf(4), 'a1', 'Reading the first file', now - 5_000)
    await home.write({
      id: idOf(5),
      prompt: 'An old one',
      at: now - 100 * HOUR,
      content: textOf('Done.'),
      stop: 'end_turn',
    })
    stop = new AbortController()
    served = await serveMachine({
      page: await builtPage(),
      home: folder,
      signal: stop.signal,
      redact: undefined,
    })
  }, 120_000)
  afterEach(async () => {
    await closePages(browser)
    stop.abort()
    await served.close()
    await rm(folder, { recursive: true })
    expect(errors.splice(0)).toEqual([])
  })

  async function open(): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(served.url)
    await rowsIn(page, 'waiting').waitFor()
    return page
  }

  basic('begins with what needs the person, and says why, what runs and what came of it', async () => {
    const page = await open()
    await expect
      .poll(() => page.locator('.list-group h2').allInnerTexts())
      .toEqual([...['Needs you', 'Failed', 'Running', 'Done since you looked'], expect.any(String)])
    await expect.poll(() => newsIn(page, 'waiting')).toBe('Delete the old job, or move it?')
    await expect.poll(() => newsIn(page, 'failed')).toBe('API Error: 400 Your credit balance is too low.')
    await expect.poll(() => newsIn(page, 'done')).toBe('All 12 tests pass.')
    await expect.poll(() => page.title()).toBe('(1) Sessions · agentfold')
    const icon = page.locator('link[rel="icon"]')
    await expect.poll(() => icon.getAttribute('href')).toContain(encodeURIComponent('>1</text>'))
    // A row without a last text had an empty line.
    await home.write({
      ...{ id: idOf(6), prompt: 'Say nothing', at: Date.now() - 2 * HOUR },
      ...{ content: [], stop: 'end_turn' },
    })
    const silent = page.locator('.list-row', { hasText: 'Say nothing' })
    await silent.waitFor()
    await expect.poll(() => silent.locator('.list-news').count()).toBe(0)
    await page.getByRole('button', { name: 'I have seen these' }).click()
    await expect.poll(() => page.locator('.list-group h2').allInnerTexts()).toContain('Needs you')
    await expect.poll(() => rowsIn(page, 'done').count()).toBe(0)
    await page.reload()
    await rowsIn(page, 'waiting').waitFor()
    await expect.poll(() => rowsIn(page, 'done').count()).toBe(0)
  })

  // The list said "3 min ago · 11 s" while two agents wrote each second, and nothing moved while the page was open.
  basic('moves while it is open: an agent that works, an answer, a failure, and a new session', async () => {
    const page = await open()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const running = rowsIn(page, 'running')
    await expect.poll(() => newsIn(page, 'running')).toBe('Look at the server: Reading the first file')
    await expect.poll(() => running.locator('.list-age').innerText()).toBe('just now')
    await expect.poll(() => running.locator('.list-duration').innerText()).toMatch(/^1[34] min/)
    const clock = running.locator('.list-clock')
    const before = await clock.innerText()
    await expect.poll(() => clock.innerText()).not.toBe(before)

    await home.writeAgent(idOf(4), 'a1', 'Reading the second file', Date.now())
    await expect.poll(() => newsIn(page, 'running')).toBe('Look at the server: Reading the second file')

    await home.append({
      id: idOf(1),
      prompt: 'And the tests?',
      at: Date.now(),
      minutes: 0,
      content: [],
      error: CREDIT,
    })
    await expect.poll(() => rowsIn(page, 'failed').count()).toBe(2)

    await home.write({
      id: idOf(6),
      prompt: 'Something new',
      at: Date.now(),
      content: [QUESTION_CALL],
      stop: 'tool_use',
    })
    await expect.poll(() => rowsIn(page, 'waiting').count()).toBe(2)
    await expect.poll(() => page.title()).toBe('(2) Sessions · agentfold')

    await rm(home.fileOf(idOf(6)))
    await expect.poll(() => rowsIn(page, 'waiting').count()).toBe(1)
    // One connection brings all of it.
    expect(requests).toEqual([])
  })

  // The list said "interrupted", and the page "running", with clocks that went on for ever.
  basic('says on the page as in the list that a session broke off, until it grows again', async () => {
    const at = Date.now() - 2 * HOUR
    const broken = { id: idOf(7), prompt: 'Broke off', at }
    await home.write({ ...broken, content: agentCall(idOf(7)), stop: 'tool_use' })
    await home.writeAgent(idOf(7), 'a7', 'Reading the last file', at)
    const page = await open()
    const row = page.locator('.list-row', { hasText: 'Broke off' })
    await expect.poll(() => row.innerText()).toContain('interrupted')
    await row.click()
    await page.waitForSelector('[data-connection="live"]')
    await page.locator('[data-session-status="interrupted"]').waitFor()
    const shown = page.locator('body')
    await expect.poll(() => shown.innerText()).toMatch(/interrupted/i)
    await expect.poll(() => shown.innerText()).not.toMatch(/running/i)
    await expect.poll(() => page.title()).not.toMatch(/running/i)
    await expect.poll(() => page.getByRole('timer').count()).toBe(0)
    await home.append({
      ...broken,
      prompt: 'Go on',
      at: Date.now(),
      minutes: 0,
      content: [],
      stop: 'tool_use',
    })
    await page.locator('[data-session-status="running"]').waitFor()
    // On a phone, the clock of an agent came before its words.
    await page.setViewportSize({ width: 390, height: 844 })
    const work = page.locator('.subagent .doing')
    const leftOf = async (part: string) => (await work.locator(part).boundingBox())?.x ?? Number.NaN
    await expect.poll(async () => (await leftOf('.further')) - (await leftOf('.preview'))).toBeGreaterThan(0)
  })

  further('says that the server has ended, and keeps the rows', async () => {
    const page = await open()
    await served.close()
    await expect.poll(() => page.locator('.list-count').innerText()).toContain('The server has ended')
    await expect.poll(() => page.locator('.list-row').count()).toBe(5)
    served = { ...served, close: async () => {} }
  })

  further('filters by status, and keeps it in the address', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Failed 1' }).click()
    await expect.poll(() => page.locator('.list-row').count()).toBe(1)
    expect(page.url()).toContain('?status=failed')
    await page.reload()
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('1 of 5 sessions')
    await page.getByRole('button', { name: 'Failed 1' }).click()
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('5 sessions')
  })

  basic('shows the costs, and each row leads to its sessions', async () => {
    const page = await open()
    await page.getByRole('link', { name: 'Costs' }).click()
    await page.getByRole('button', { name: 'Project' }).click()
    await page.getByRole('row', { name: /^\/srv\/shop 5 / }).waitFor()
    await page.getByRole('button', { name: 'Day' }).click()
    await page.locator('.activity-map > a').first().waitFor()
    await expect.poll(() => weekdaysOff(page)).toEqual([])
    await page
      .getByRole('link', { name: /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/ })
      .first()
      .waitFor()
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.getByRole('button', { name: 'Project' }).click()
    await page.getByRole('link', { name: '/srv/shop' }).click()
    await expect.poll(() => page.url()).toContain('?cwd=%2Fsrv%2Fshop')
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('5 sessions')
  })

  // The sums of a part stayed, and the page said that agentfold still reads.
  further('says that the costs have no answer, and asks again', async () => {
    const page = await open()
    let isBroken = true
    await page.route('**/costs?*', (route) => (isBroken ? route.fulfill({ status: 404 }) : route.continue()))
    await page.getByRole('link', { name: 'Costs' }).click()
    await expect.poll(() => page.locator('.list-count').innerText()).toContain('asking again')
    isBroken = false
    await expect.poll(() => page.locator('.list-count').innerText()).toMatch(/ in all, [^(]*$/)
  })

  further('notifies a person who wants it, while the page is out of view', async () => {
    const page = await open()
    await page.evaluate(() => {
      const shown: string[] = []
      Object.assign(window, { shown })
      class Shown extends EventTarget {
        static readonly permission = 'granted'
        static requestPermission = async () => 'granted'
        constructor(title: string, { body }: { readonly body: string }) {
          super()
          shown.push(`${title} | ${body}`)
        }
      }
      Object.assign(window, { Notification: Shown })
    })
    await page.getByRole('button', { name: 'Notify me' }).click()
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }))
    await home.append({
      id: idOf(1),
      prompt: 'And now?',
      at: Date.now(),
      minutes: 0,
      content: [QUESTION_CALL],
      stop: 'tool_use',
    })
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, 'shown')))
      .toEqual(['Fix the cart | Needs you: Delete the old job, or move it?'])
  })
})

function rowsIn(page: Page, group: string): Locator {
  return page.locator(`[data-group="${group}"] .list-row`)
}

function newsIn(page: Page, group: string): Promise<string> {
  return rowsIn(page, group).first().locator('.list-words').innerText()
}

/** Returns the days of the map that do not stand beside the name of their day of the week. Not every day has a name. */
function weekdaysOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const names = [...document.querySelectorAll('.activity-day')].map((each) => ({
      name: each.textContent ?? '',
      top: each.getBoundingClientRect().top,
      left: each.getBoundingClientRect().left,
    }))
    if (names.length < 3) return ['no names']
    const first = document.querySelector('.activity-map > [title]')?.getBoundingClientRect().left ?? 0
    if (first > (names[0]?.left ?? 0) + 60) return ['names far from the days']
    return [...document.querySelectorAll<HTMLElement>('.activity-map > [title]')]
      .filter((day) => {
        const weekday = new Date(`${day.title.split(',').slice(0, 2).join(',')} UTC`)
          .toUTCString()
          .slice(0, 3)
        const beside = names.find(({ top }) => Math.abs(top - day.getBoundingClientRect().top) < 3)
        const named = names.some(({ name }) => name === weekday)
        return named ? beside?.name !== weekday : beside !== undefined
      })
      .map((day) => day.title)
  })
}
