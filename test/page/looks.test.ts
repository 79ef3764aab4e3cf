import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { events as decisions, request } from './decisions-events.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { useReports } from './reports.ts'
import { drawn } from './shown.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

const LONG = 'n'.repeat(400)
const HEBREW = 'שלום עולם'
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The event some seconds after ten. */
function at(event: SessionEvent, seconds = 0): SessionEvent {
  const timestamp = `2026-11-29T10:00:${String(seconds).padStart(2, '0')}Z`
  return event.type === 'block:upsert'
    ? { ...event, block: { ...event.block, timestamp } }
    : { ...event, timestamp }
}

/** Ten agents, each below the one before it. */
const nested: readonly SessionEvent[] = Array.from({ length: 10 }, (_, at): readonly SessionEvent[] => {
  const conversationId = at === 0 ? 'main' : `d${at - 1}`
  const block = {
    id: `x${at}`,
    type: 'assistant_text',
    status: 'complete',
    content: `Level ${at + 1}`,
  } as const
  return [
    { type: 'subagent:spawned', toolUseId: `d${at}`, conversationId, prompt: LONG, description: LONG },
    { type: 'block:upsert', conversationId: `d${at}`, block },
  ]
}).flat()

/** Names and texts that break a layout: without a space, from the right to the left, in tables and code that are too wide. */
const hostile: readonly SessionEvent[] = [
  ...decisions,
  { type: 'session:updated', facts: { title: LONG, cwd: LONG, model: LONG, program: LONG } },
  { type: 'block:upsert', block: { type: 'user_message', id: 'long', status: 'complete', content: LONG } },
  finishedText(
    'texts',
    [
      'word '.repeat(100),
      `${HEBREW}\n\n- ${HEBREW}`,
      `| ${'a | '.repeat(30)}\n|${' - |'.repeat(30)}\n| ${`${LONG} | `.repeat(30)}`,
      `\`\`\`ts\nconst a = '${LONG}'\n\`\`\``,
      '# A heading\n\n`code`',
    ].join('\n\n'),
  ),
  finishedText('after', 'The text after it.'),
  {
    type: 'block:upsert',
    block: { type: 'thinking', id: 'thought', status: 'complete', content: '**Look** at `a`:\n\n- [b](c)' },
  },
  finishedCall('call', { command: LONG, [LONG]: LONG }),
  callResult({ id: 'call:result', toolUseId: 'call', output: `${LONG}\n`.repeat(100) }),
  finishedCall('image', { file_path: '/srv/a.png' }),
  {
    type: 'block:upsert',
    block: {
      ...{ id: 'image:result', type: 'tool_result', toolUseId: 'image', isError: false, status: 'complete' },
      output: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }],
    },
  },
  request('long-request', { title: LONG, options: [{ id: LONG, label: LONG, description: LONG }] }),
  ...nested,
]

describe.skipIf(skipReason)(`the looks of the page ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  further('hold for every text, on wide and narrow pages', async () => {
    const page = await open(fold(hostile), { viewport: { width: 1440, height: 900 } })
    await expect.poll(() => page.locator('[data-block="image"] img.thumbnail').count()).toBe(1)
    await expect.poll(() => page.locator('[data-block="thought"] .preview').innerText()).toBe('Look at a: b')
    await expect.poll(() => lineLength(page, '[data-block="texts"] p')).toBeGreaterThan(60)
    await expect.poll(() => lineLength(page, '[data-block="texts"] p')).toBeLessThanOrEqual(80)
    await expect.poll(() => levels(page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const directions = await page
      .locator('[data-block="texts"]')
      .evaluate((block) =>
        [...block.querySelectorAll('p, ul')].map((each) => getComputedStyle(each).direction),
      )
    expect(directions.slice(0, 3)).toEqual(['ltr', 'rtl', 'rtl'])
    await page.keyboard.press('e')
    await page.locator('[data-block="call:result"]').waitFor()
    await expect.poll(() => overflow(page)).toEqual([])
    expect((await fontSizes(page)).length).toBeLessThanOrEqual(6)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => overflow(page)).toEqual([])
    await expect.poll(() => levels(page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    // The open requests come on top.
    const bar = await page.locator('.bar h1').evaluate((title) => title.getBoundingClientRect().bottom)
    expect(bar).toBeLessThan(60)
    await page.getByRole('button', { name: 'Contents' }).click()
    await expect.poll(() => overflow(page)).toEqual([])
    // A choice in the menu leads to the place, so the menu makes way.
    await page.locator('.agent').first().click()
    await expect.poll(() => page.locator('.menu').isVisible()).toBe(false)
  })

  further('have a button to copy that covers nothing, on a touch screen too', async () => {
    const touch = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }
    const page = await open(fold(hostile), touch)
    const answer = page.locator('[data-block="texts"]')
    for (const name of ['Copy answer', 'Copy code']) {
      const button = answer.getByRole('button', { name })
      await button.scrollIntoViewIfNeeded()
      await expect.poll(() => button.evaluate((each) => getComputedStyle(each).opacity)).toBe('1')
      await expect.poll(() => covered(button)).toEqual([])
    }
  })

  further('have a button that leads to the end and never covers the last line', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => finishedText(`t${at}`, 'word '.repeat(60)))
    for (const width of [390, 1100]) {
      const page = await open(fold(texts), { viewport: { width, height: 700 } })
      const button = page.locator('.to-end')
      await button.click()
      await expect.poll(() => button.count()).toBe(0)
      // The browser tells the page of a scroll in the next frame.
      await drawn(page)
      const shown: boolean[] = []
      for (let distance = 200; distance >= 0; distance -= 8) {
        await page.evaluate(
          (up) => window.scrollTo(0, document.documentElement.scrollHeight - window.innerHeight - up),
          distance,
        )
        await drawn(page)
        shown.push((await button.count()) > 0)
        if (!shown.at(-1)) continue
        const { y: top = 0 } = (await button.boundingBox()) ?? {}
        const lastLine = await page.locator('[data-block="t39"] p').evaluate((text) => {
          const lines = document.createRange()
          lines.selectNodeContents(text)
          return [...lines.getClientRects()].at(-1)?.top ?? 0
        })
        const bottom = top + ((await button.boundingBox())?.height ?? 0)
        expect(lastLine, `${width} px, ${distance} px above the end`).toBeGreaterThanOrEqual(
          Math.min(bottom, 700),
        )
      }
      expect(new Set(shown)).toEqual(new Set([true, false]))
    }
  })

  // The hidden time of a text left a gap before the call that the text leads to.
  basic('have each text as near to its call as to the call before it', async () => {
    const page = await open(fold([finishedCall('a'), at(finishedText('t', 'I look.')), finishedCall('b')]))
    const gaps = () =>
      page.evaluate(() => {
        const [before, text, after] = ['a', 't', 'b'].map((id) =>
          document
            .querySelector(`[data-block="${id}"] ${id === 't' ? 'p' : 'details'}`)
            ?.getBoundingClientRect(),
        )
        return before && text && after ? [text.top - before.bottom, after.top - text.bottom] : []
      })
    await expect.poll(async () => (await gaps()).every((gap) => gap > 5 && gap < 20)).toBe(true)
    await page.locator('[data-block="t"]').hover()
    const margin = page.locator('[data-block="t"] .margin')
    await expect
      .poll(() => margin.locator('.when').evaluate((each) => getComputedStyle(each).opacity))
      .toBe('1')
    await expect.poll(() => covered(margin)).toEqual([])
  })

  // Its room cut the facts off.
  basic('have the time of an agent under the pointer alone', async () => {
    const agent = { toolUseId: 'g', conversationId: 'main', prompt: 'Look.' } as const
    const page = await open(fold([at({ type: 'subagent:spawned', ...agent }), ...nested]), {
      viewport: { width: 1440, height: 800 },
    })
    const time = page.locator('[data-block="subagent:g"] summary > .when')
    await expect.poll(() => time.evaluate((each) => each.getBoundingClientRect().width)).toBe(0)
    await page.locator('[data-block="subagent:g"]').hover()
    await expect.poll(() => time.evaluate((each) => each.getBoundingClientRect().width)).toBeGreaterThan(40)
  })

  basic('have nothing above the bar of a narrow page', async () => {
    const lanes = Array.from({ length: 12 }, (_, each): readonly SessionEvent[] => [
      { type: 'subagent:spawned', toolUseId: `l${each}`, conversationId: 'main', prompt: 'Look.' },
      { ...at(finishedText(`w${each}`, 'Words.'), each), conversationId: `l${each}` },
    ]).flat()
    const texts = [at(finishedText('s', 'I look.')), at(finishedText('t', 'word '.repeat(2000)), 50)]
    const page = await open(fold([...lanes, ...texts]), { viewport: { width: 390, height: 844 } })
    const lane = page.locator('.lanes .lane-title')
    for (const place of [2, 6, 10]) {
      // In the middle of the bar, where a lane would be if the bar were not above it.
      await lane.nth(place).evaluate((each) => window.scrollBy(0, each.getBoundingClientRect().top - 20))
      await expect
        .poll(() => page.evaluate(() => document.elementFromPoint(60, 30)?.closest('.side') !== null))
        .toBe(true)
    }
  })

  basic('have the colours of the system, unless the reader chooses others', async () => {
    const page = await open(fold(hostile), { colorScheme: 'light' })
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await page.getByLabel('Colours').selectOption('Dark')
    await expect.poll(() => paper()).not.toBe(light)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByLabel('Colours').selectOption('Light')
    await expect.poll(() => paper()).toBe(light)
    await page.reload()
    await page.waitForSelector('.rows')
    await expect.poll(() => paper()).toBe(light)
    await expect.poll(() => page.getByLabel('Colours').inputValue()).toBe('light')
  })

  basic('keep the filter when the page is loaded again', async () => {
    const page = await open(fold(hostile))
    await page.getByRole('button', { name: 'Thinking' }).click()
    await page.getByLabel('Shown agent').selectOption('d0')
    await expect.poll(() => page.locator('[data-block="x0"]').count()).toBe(1)
    await page.reload()
    await page.locator('[data-block="x0"]').waitFor()
    await expect.poll(() => page.locator('[data-block="after"]').count()).toBe(0)
    await expect.poll(() => page.getByLabel('Shown agent').inputValue()).toBe('d0')
    await expect
      .poll(() => page.getByRole('button', { name: 'Thinking' }).getAttribute('aria-pressed'))
      .toBe('false')
    await page.getByLabel('Shown agent').selectOption('')
    await page.locator('[data-block="after"]').waitFor()
  })

  basic('are those of a document on paper: everything is open, and nothing scrolls', async () => {
    const page = await open(fold(hostile), { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    await page.locator('[data-block="call:result"]').waitFor()
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.rows *')]
        .filter(
          (each) =>
            getComputedStyle(each).overflowY !== 'visible' && each.scrollHeight > each.clientHeight + 2,
        )
        .map((each) => each.className),
    )
    expect(cut).toEqual([])
    await expect.poll(() => overflow(page)).toEqual([])
    await expect.poll(() => page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    await expect
      .poll(() => page.locator('.search, .menu, .copy, .to-end').filter({ visible: true }).count())
      .toBe(0)
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme))
      .toBe('light')
  })
})

/** Returns the parts that make the page, or the panel beside it, scroll to the side. */
function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('html, .side, .tab-panel, .row > *')]
      .filter((each) => each.scrollWidth > each.clientWidth + 1)
      .map((each) => `${each.tagName} ${each.className} ${each.scrollWidth} in ${each.clientWidth}`),
  )
}

/** Returns the number of characters in the first line of an element. */
function lineLength(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const text = element.firstChild
      const range = document.createRange()
      if (!text) return 0
      const topOf = (at: number): number => {
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        return range.getBoundingClientRect().top
      }
      let length = 0
      while (topOf(length) === topOf(0)) length += 1
      return length
    })
}

/** Returns the levels of the agents that stand further to the right than the one around them. */
function levels(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => {
    const left = (at: number): number =>
      document.querySelector(`[data-block="x${at}"]`)?.getBoundingClientRect().left ?? 0
    return Array.from({ length: 10 }, (_, at) => at + 1).filter((level) => left(level - 1) > left(level - 2))
  })
}

function fontSizes(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const sizes = [...document.querySelectorAll('body *')]
      .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()))
      .filter((each) => each.checkVisibility())
      .map((each) => getComputedStyle(each).fontSize)
    return [...new Set(sizes)].sort()
  })
}

/** Returns the texts of the conversation below a button. */
function covered(button: ReturnType<Page['locator']>): Promise<readonly string[]> {
  return button.evaluate((element) => {
    const own = element.getBoundingClientRect()
    return [...document.querySelectorAll('.rows :is(p, pre, li, td, summary, h3)')]
      .filter((each) => !each.contains(element))
      .filter((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect()
        return left < own.right && right > own.left && top < own.bottom - 1 && bottom > own.top + 1
      })
      .map((each) => each.textContent?.slice(0, 40) ?? '')
  })
}
