import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { finishedText } from './events.ts'
import { useReports } from './reports.ts'

/** So many agents are closed at first, and so many texts are not all in the page. */
const AGENTS = Array.from({ length: 20 }, (_, at): SessionEvent[] => {
  const agent = { conversationId: `call ${at}` }
  return [
    { type: 'subagent:spawned', toolUseId: `call ${at}`, prompt: `Task ${at}`, conversationId: 'main' },
    { ...finishedText('same', `Part one of ${at}`), ...agent },
    { ...finishedText(`two/${at}`, `Part two of ${at}`), ...agent },
  ]
}).flat()
const TEXTS = Array.from({ length: 600 }, (_, at) => finishedText(`b${at}`, `Text ${at}`))
const STATE = reduceSessionEvents(createInitialConversationState(), [...AGENTS, ...TEXTS])

describe.skipIf(skipReason)(`an address ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic.each([
    ['#b500', 'b500', 'main'],
    ['#same@call%207', 'same', 'call 7'],
    ['#two%2F19@call%2019', 'two/19', 'call 19'],
  ])('leads to a block that is far away or in a closed agent: %s', async (fragment, block, conversation) => {
    const page = await open(STATE, { fragment })
    await expect.poll(() => focusedPlace(page)).toEqual([block, conversation])
    await expect.poll(() => page.locator(`[data-block="${block}"]`).first().isVisible()).toBe(true)
  })

  basic('changes with each place, and Back returns to the last one', async () => {
    const page = await open(STATE, { fragment: '#b300', permissions: ['clipboard-read', 'clipboard-write'] })
    await expect.poll(() => focusedPlace(page)).toEqual(['b300', 'main'])
    await page.locator('[data-agent="call 4"] > button').click()
    await expect.poll(() => page.evaluate(() => decodeURIComponent(location.hash))).toBe('#@call 4')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toContain('Task 4')
    await page.goBack()
    await expect.poll(() => focusedPlace(page)).toEqual(['b300', 'main'])
    await page.keyboard.press('l')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
    expect(page.url()).toMatch(/report\.html#b300$/)
    await page.goForward()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toContain('Task 4')
  })

  further.each(['#gone', '#%E0%A4%A', '#a@b@c', '#@gone'])(
    'that names no place shows the session: %s',
    async (fragment) => {
      const page = await open(STATE, { fragment })
      await expect.poll(() => page.locator('[data-row]').count()).toBeGreaterThan(0)
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
    },
  )
})

function focusedPlace(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(() => {
    const { block, conversation } =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset : {}
    return [block, conversation]
  })
}
