import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { type ServedSession, serveMachine } from '../../src/cli/serve/serve-session.ts'
import { basic, casesOf, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { builtPage } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { ListHome, textOf } from './list-home.ts'
import { useReports } from './reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

const change = (path: string) => ({
  ...{ path, kind: 'edit' as const, added: 1, removed: 1 },
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }],
})

/** Two prompts, an agent, a call that failed, and two changed files far below each other. */
const session = fold([
  { type: 'session:updated', facts: { program: 'claude-code', id: 'abc', cwd: '/srv/shop' } },
  ...['Mend the sum', 'Mend the cart'].flatMap((content, at): readonly SessionEvent[] => [
    { type: 'block:upsert', block: { type: 'user_message', id: `p${at}`, status: 'complete', content } },
    finishedText(`t${at}`, 'An answer.\n\n'.repeat(40)),
  ]),
  {
    ...{ type: 'subagent:spawned', toolUseId: 'A', conversationId: 'main', prompt: 'Look.' },
    description: 'Audit the cart',
  },
  { type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' },
  finishedCall('bad', { command: 'npm test' }),
  {
    type: 'block:upsert',
    block: {
      ...{ id: 'bad:result', type: 'tool_result', toolUseId: 'bad', isError: true, status: 'error' },
      output: 'one test failed',
    },
  },
  ...['/srv/shop/src/a.ts', '/srv/shop/src/cart.ts'].flatMap((path, at) => [
    finishedCall(`edit${at}`, { file_path: path }),
    callResult({ id: `edit${at}:result`, toolUseId: `edit${at}`, output: 'Done.', changes: [change(path)] }),
  ]),
])

describe.skipIf(skipReason)(`the palette of a session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('opens by Ctrl+K, finds every kind by its words, and gives the focus back', async () => {
    const page = await open(session)
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Agents, files' })
    await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true)
    await page.keyboard.type('cart')
    await expect
      .poll(() => optionsOn(page).allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Audit the cart\s+Agent$/),
        expect.stringMatching(/^src\/cart\.ts\s+\+1 −1\s+File$/),
        expect.stringMatching(/^Mend the cart\s+Prompt$/),
      ])
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => chosen(page)).toContain('Mend the cart')
    await expect
      .poll(() => field.getAttribute('aria-activedescendant'))
      .toBe(await page.locator('[aria-selected="true"][role="option"]').getAttribute('id'))
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => focused(page, 'type')).toBe('search')
  })

  basic('goes to prompts, files and failures, and runs commands', async () => {
    const page = await open(session, { permissions: ['clipboard-read', 'clipboard-write'] })
    await choose(page, 'mend cart')
    await expect.poll(() => focused(page, 'data-block')).toBe('p1')
    await choose(page, 'cart.ts')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('article')?.getAttribute('aria-label')))
      .toBe('src/cart.ts')
    expect(page.url()).toContain('#/changes/')
    await choose(page, 'failure npm')
    await expect.poll(() => focused(page, 'data-block')).toBe('bad')
    await choose(page, 'next failure')
    await expect.poll(() => focused(page, 'data-block')).toBe('bad')
    await choose(page, 'copy link')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/report\.html#bad$/)
    await choose(page, 'hide tools')
    await expect.poll(() => page.locator('[data-type="tool_use"]').count()).toBe(0)
  })

  further.each(
    casesOf([
      ['none', 0],
      ['light', 390],
      ['dark', 768],
      ['dark', 1440],
    ] as const),
  )('has no problem that axe finds, and is in view, %s and %i wide', async (colorScheme, width) => {
    if (colorScheme === 'none') return
    const page = await open(session, { colorScheme, viewport: { width, height: 700 } })
    await page.keyboard.press('Control+k')
    await optionsOn(page).first().waitFor()
    await expectWhole(page, { width, name: `palette-${colorScheme}-${width}` })
  })
})

describe.skipIf(skipReason)(`the palette of the list ${skipReason ?? ''}`, () => {
  let browser: Browser
  let folder = ''
  let served: ServedSession
  const stop = new AbortController()

  beforeAll(async () => {
    browser = await sharedBrowser()
    folder = await mkdtemp(join(tmpdir(), 'agentfold-palette-'))
    const home = new ListHome(folder)
    for (const [at, prompt] of ['Fix the cart', 'Train the model', 'Write the docs'].entries())
      await home.write({
        ...{ id: `00000000-0000-4000-8000-00000000000${at}`, prompt, at: Date.now() - at * 3_600_000 },
        ...{ cwd: at === 1 ? '/srv/models' : '/srv/shop', content: textOf('Done.'), stop: 'end_turn' },
      })
    served = await serveMachine({
      ...{ page: await builtPage(), home: folder, signal: stop.signal, redact: undefined },
    })
  }, 120_000)
  afterEach(() => closePages(browser))
  afterAll(async () => {
    stop.abort()
    await served?.close()
    await rm(folder, { recursive: true })
  })

  async function openList(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage(options)
    await page.goto(served.url)
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('3 sessions')
    return page
  }

  basic('opens sessions and costs, and shows the sessions of a project or a status', async () => {
    const page = await openList()
    await choose(page, 'models')
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('1 of 3 sessions')
    expect(page.url()).toContain('cwd=%2Fsrv%2Fmodels')
    await choose(page, 'clear')
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('3 sessions')
    await choose(page, 'train')
    await page.waitForSelector('[data-connection="live"]')
    await choose(page, 'all sessions')
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    await choose(page, 'costs')
    await page.getByRole('heading', { name: 'Costs' }).waitFor()
  })

  further.each(
    casesOf([
      ['none', 0],
      ['dark', 390],
      ['light', 1440],
    ] as const),
  )('has no problem that axe finds, and is in view, %s and %i wide', async (colorScheme, width) => {
    if (colorScheme === 'none') return
    const page = await openList({ colorScheme, viewport: { width, height: 700 } })
    await page.getByRole('button', { name: 'Go to …' }).click()
    await optionsOn(page).first().waitFor()
    await expectWhole(page, { width, name: `list-palette-${colorScheme}-${width}` })
  })
})

async function choose(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'commands' }).fill(words)
  await page.keyboard.press('Enter')
}

function optionsOn(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Choices' }).getByRole('option')
}

function chosen(page: Page): Promise<string> {
  return page.locator('[aria-selected="true"][role="option"]').innerText()
}

function focused(page: Page, attribute: string): Promise<string | null | undefined> {
  return page.evaluate((name) => document.activeElement?.getAttribute(name), attribute)
}

async function expectWhole(
  page: Page,
  { width, name }: { readonly width: number; readonly name: string },
): Promise<void> {
  const screenshots = process.env.SCREENSHOTS
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) })
  await expect.poll(() => problemsOn(page)).toEqual([])
  const box = await page.getByRole('dialog').boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(700)
}
