import { join } from 'node:path'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, casesOf, further } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { skipReason } from './chromium.ts'
import { finishedCall, finishedText } from './events.ts'
import { useReports } from './reports.ts'

const fold = (events: readonly SessionEvent[]): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), events)

const failed = (id: string, conversationId = 'main'): readonly SessionEvent[] => [
  { ...finishedCall(id, { command: `run ${id}` }), conversationId },
  {
    ...{ type: 'block:upsert', conversationId },
    block: {
      ...{ id: `${id}:result`, type: 'tool_result', toolUseId: id, isError: true, status: 'error' },
      output: 'It failed.',
    },
  },
]

const withAgent: readonly SessionEvent[] = [
  {
    ...{ type: 'subagent:spawned', toolUseId: 'A', conversationId: 'main', prompt: 'Look.' },
    description: 'Audit the cart',
  },
  { ...finishedText('between', 'More words.\n\n'.repeat(20)), conversationId: 'A' },
  ...failed('inside', 'A'),
  { type: 'subagent:completed', toolUseId: 'A', output: 'Fine.', status: 'completed' },
]

const withFailure: readonly SessionEvent[] = [...failed('bad'), finishedText('end', 'Words.\n\n'.repeat(40))]

/** Three long turns. The second one has an agent with a call that failed, and the third one has an own failure. */
const long = fold(
  ['First', 'Second', 'Third'].flatMap((name, turn): readonly SessionEvent[] => [
    {
      type: 'block:upsert',
      block: { type: 'user_message', id: `p${turn}`, status: 'complete', content: name },
    },
    finishedText(`t${turn}`, 'An answer.\n\n'.repeat(60)),
    ...([[], withAgent, withFailure][turn] ?? []),
  ]),
)

describe.skipIf(skipReason)(`the map beside a long session ${skipReason ?? ''}`, () => {
  const { open } = useReports()

  basic('has each prompt, agent and failure at its place, and leads there by click and by key', async () => {
    const page = await open(long, { viewport: { width: 1440, height: 800 } })
    await expect
      .poll(() => marks(page).evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-label'))))
      .toEqual([
        ...['Prompt: First', 'Prompt: Second', 'Agent: Audit the cart', 'Failure: Read run inside'],
        ...['Prompt: Third', 'Failure: Read run bad'],
      ])
    // Where the mark stands is where the row stands.
    const parts = await page.evaluate(() => {
      const part = (element: Element | null, of: Element | null) => {
        const [box, around] = [element?.getBoundingClientRect(), of?.getBoundingClientRect()]
        return ((box?.top ?? 0) - (around?.top ?? 0)) / (around?.height ?? 1)
      }
      const [rows, map] = [document.querySelector('.rows'), document.querySelector('.minimap')]
      const row = document.querySelector('[data-block="bad"]')
      return [part(row, rows), part(document.querySelector('.minimap-mark:last-of-type'), map)]
    })
    expect(Math.abs((parts[0] ?? 0) - (parts[1] ?? 1))).toBeLessThan(0.02)
    await page.getByRole('button', { name: 'Prompt: Third' }).click()
    await expect.poll(() => focusedBlock(page)).toBe('p2')
    await page.getByRole('button', { name: 'Prompt: Third' }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedBlock(page)).toBe('inside')
    // The view is marked, and a click on the map itself scrolls.
    const view = page.locator('.minimap-view')
    await page.locator('.minimap').click({ position: { x: 7, y: 760 } })
    await expect.poll(async () => (await view.boundingBox())?.y).toBeGreaterThan(500)
    const names = await page.getByRole('button', { name: 'Prompt: First' }).boundingBox()
    const text = await page.locator('.rows').boundingBox()
    expect(names?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0))
  })

  basic('goes from failure to failure by x, into agents too', async () => {
    const page = await open(long)
    for (const id of ['inside', 'bad', 'inside']) {
      await page.keyboard.press('x')
      await expect.poll(() => focusedBlock(page)).toBe(id)
    }
    await page.keyboard.press('X')
    await expect.poll(() => focusedBlock(page)).toBe('bad')
  })

  basic('is not there where it has no place or no use', async () => {
    const page = await open(long, { viewport: { width: 768, height: 800 } })
    await expect.poll(() => page.locator('.minimap').isVisible()).toBe(false)
    const short = await open(fold([finishedText('t', 'Words.')]), { viewport: { width: 1440, height: 800 } })
    await expect.poll(() => short.locator('.minimap').count()).toBe(0)
  })

  further.each(
    casesOf([
      ['none', 0],
      ['light', 390],
      ['dark', 768],
      ['light', 1440],
      ['dark', 1440],
    ] as const),
  )('has no problem that axe finds, and no overflow, %s and %i wide', async (colorScheme, width) => {
    if (colorScheme === 'none') return
    const page = await open(long, { colorScheme, viewport: { width, height: 800 } })
    await page.locator('[data-block="p0"]').waitFor()
    if (width === 1440) await marks(page).nth(3).focus()
    const screenshots = process.env.SCREENSHOTS
    if (screenshots) await page.screenshot({ path: join(screenshots, `minimap-${colorScheme}-${width}.png`) })
    await expect.poll(() => problemsOn(page)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  })
})

function marks(page: Page) {
  return page.locator('.minimap-mark')
}

function focusedBlock(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('data-block'))
}
