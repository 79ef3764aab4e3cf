import { createInitialConversationState, reduceSessionEvents, type SessionEvent } from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { fragmentOf, placeIn } from '../../src/page/rows/place.ts'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
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

  // An id with half of a character left the page empty.
  basic('leads to a block whose id has half of a character, and to its file', async () => {
    const change = { path: '/a\udc00', kind: 'edit', added: 1, removed: 0 } as const
    const page = await open(
      reduceSessionEvents(createInitialConversationState(), [
        ...TEXTS,
        finishedText('half\ud800', 'Words of the half.'),
        finishedCall('c'),
        callResult({ id: 'c:result', toolUseId: 'c', output: '', changes: [change] }),
        ...TEXTS.map((_, at) => finishedText(`l${at}`, `Later ${at}`)),
      ]),
      { fragment: '#half%ud800' },
    )
    // The protocol of the browser has no half of a character either.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-block') === 'half\ud800'))
      .toBe(true)
    await page.evaluate(() => {
      location.hash = '#/changes/%2Fa%udc00'
    })
    await expect.poll(() => page.locator('.changes-view').innerText()).toContain('1 file')
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

basic.each(['a b/@#%', '%ud800', '\ud83d\ude00', '\ud800', 'a\udc00%\ud800\ud83d\ude00', '\ud800\ud800'])(
  'the fragment of a place names it: %j',
  (id) => {
    for (const place of [{ conversationId: 'main', blockId: id }, { conversationId: id }])
      expect(placeIn(fragmentOf(place))).toEqual(place)
    expect(placeIn(fragmentOf({ conversationId: id, blockId: id }))).toEqual({
      conversationId: id,
      blockId: id,
    })
  },
)

function focusedPlace(page: Page): Promise<readonly unknown[]> {
  return page.evaluate(() => {
    const { block, conversation } =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset : {}
    return [block, conversation]
  })
}
