import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { type ServedSession, serveMachine } from '../../src/cli/serve/serve-session.ts'
import { alignTurns } from '../../src/page/compare/align.ts'
import { turnsOf } from '../../src/page/compare/turns.ts'
import { basic, casesOf, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { builtPage } from './built.ts'
import { closePages, sharedBrowser, skipReason } from './chromium.ts'
import { ListHome, textOf } from './list-home.ts'

const HOUR = 3_600_000
const idOf = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`
const call = (id: string, command: string) => ({
  ...{ type: 'tool_use', id, name: 'Bash', input: { command } },
})

const turn = (prompt: string, ...texts: readonly string[]) => ({
  ...{ blockId: prompt, prompt, costUsd: undefined },
  steps: texts.map((text) => ({ blockId: text, text })),
})

describe('the turns of two sessions', () => {
  basic('stand beside each other by their prompts, whatever comes between', () => {
    const pairs = alignTurns(
      [turn('A', '1', '2'), turn('only left'), turn('B', '3')],
      [turn('a ', '1', '9'), turn('B', '3'), turn('only right')],
    )
    expect(pairs.map(({ left, right, same }) => [left?.prompt, right?.prompt, same])).toEqual([
      ['A', 'a ', 1],
      ['only left', undefined, 0],
      ['B', 'B', 1],
      [undefined, 'only right', 0],
    ])
  })
})

describe('the cost of a turn', () => {
  basic('is its part of the cost of the session, with the agents that it started', () => {
    const prompt = (id: string): SessionEvent => ({
      type: 'block:upsert',
      block: { type: 'user_message', id, status: 'complete', content: id },
    })
    const answer = (id: string, messageId: string): SessionEvent => ({
      type: 'block:upsert',
      block: { type: 'assistant_text', id, messageId, status: 'complete', content: id },
    })
    const usage = (messageId: string, outputTokens: number, conversationId = 'main'): SessionEvent => ({
      ...{ type: 'usage:reported', conversationId, messageId, final: true, usage: { outputTokens } },
    })
    const state = reduceSessionEvents(createInitialConversationState(), [
      { type: 'session:updated', facts: { costUsd: 1 } },
      ...[prompt('first'), answer('a', 'm1'), usage('m1', 100)],
      { type: 'subagent:spawned', toolUseId: 'A', conversationId: 'main', prompt: 'Look.' },
      ...[usage('m2', 500, 'A'), prompt('second'), answer('b', 'm3'), usage('m3', 400)],
    ])
    expect(turnsOf(state).map(({ prompt: text, costUsd }) => [text, costUsd?.toFixed(2)])).toEqual([
      ['first', '0.60'],
      ['second', '0.40'],
    ])
  })
})

describe.skipIf(skipReason)(`two sessions side by side ${skipReason ?? ''}`, () => {
  let browser: Browser
  let folder = ''
  let served: ServedSession
  const stop = new AbortController()

  beforeAll(async () => {
    browser = await sharedBrowser()
    folder = await mkdtemp(join(tmpdir(), 'agentfold-compare-'))
    const home = new ListHome(folder)
    const now = Date.now()
    for (const at of [0, 1]) {
      const id = idOf(at)
      await home.write({
        ...{ id, prompt: 'Fix the cart', at: now - (5 - at) * HOUR, stop: 'end_turn' },
        content: [
          call(`c${at}`, 'npm test'),
          ...(at === 0 ? textOf('The sum was wrong.') : textOf('The price was wrong.')),
        ],
      })
      await home.append({
        ...{ id, prompt: at === 0 ? 'Now the docs' : 'Now the tests', at: now - (4 - at) * HOUR },
        ...{ content: textOf('Done.'), stop: 'end_turn' },
      })
    }
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

  async function open(options = {}): Promise<Page> {
    const page = await browser.newPage(options)
    await page.goto(served.url)
    await expect.poll(() => page.locator('.list-count').innerText()).toBe('2 sessions')
    // With their statuses, the rows are in another group.
    await page.locator('.list-row[data-status="done"]').nth(1).waitFor()
    return page
  }

  basic('are chosen by two keys or from a session, and show where they part', async () => {
    const page = await open()
    await page.keyboard.press('j')
    await page.keyboard.press('c')
    await page.getByText('Choose the session to compare with').waitFor()
    await expect.poll(() => page.locator('.list-row').count()).toBe(1)
    await page.locator('.list-row').press('Enter')
    await page.getByText('They part in turn 1, after 1 same step.').waitFor()
    expect(page.url()).toMatch(/compare\?of=[\w-]{22}&with=[\w-]{22}$/)
    await expect
      .poll(() =>
        page.locator('.compare-turns > li').evaluateAll((all) => all.map((each) => each.ariaCurrent)),
      )
      .toEqual(['location', null, null])
    await expect
      .poll(() => page.locator('.compare-turns > li').first().locator('li').allInnerTexts())
      .toEqual(['The price was wrong.', 'The sum was wrong.'])
    await expect
      .poll(() => page.getByRole('row', { name: 'Status' }).getByRole('cell').allInnerTexts())
      .toEqual(['done', 'done'])
    // The names took a third of the width.
    expect((await page.getByRole('rowheader', { name: 'Status' }).boundingBox())?.width).toBeLessThan(100)
    await page.getByRole('link', { name: 'The sum was wrong.' }).click()
    await page.waitForSelector('[data-connection="live"]')
    await page.getByRole('link', { name: 'Compare …' }).click()
    await page.getByText('Choose the session to compare with').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.locator('.list-row').count()).toBe(2)
    await page.goto(`${served.url}compare?of=${'a'.repeat(22)}&with=x`)
    await page.getByText('One of the sessions is not here.').waitFor()
  })

  further.each(
    casesOf([
      ['none', 0],
      ['light', 390],
      ['dark', 768],
      ['light', 1440],
    ] as const),
  )('have no problem that axe finds, and no overflow, %s and %i wide', async (colorScheme, width) => {
    if (colorScheme === 'none') return
    const page = await open({ colorScheme, viewport: { width, height: 900 } })
    await page.locator('.list-row').first().focus()
    await page.keyboard.press('c')
    await page.getByText('Choose the session').waitFor()
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.locator('.list-row').press('Enter')
    await page.getByText('They part in turn 1').waitFor()
    const screenshots = process.env.SCREENSHOTS
    if (screenshots) await page.screenshot({ path: join(screenshots, `compare-${colorScheme}-${width}.png`) })
    await expect.poll(() => problemsOn(page)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
