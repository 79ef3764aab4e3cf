import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { RunningApp } from '../../examples/app/server.ts'
import { stateOf } from '../bench/workloads.ts'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { finishedText, textDelta } from './events.ts'
import { usePages } from './pages.ts'

const BLOCKS = 10_000
const LAST = `b${BLOCKS - 1}`

/** Scrolling and streaming cost what the page contains, so these tests count that, and measure no time. */
describe.skipIf(skipReason)(`a page with 10,000 blocks ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  async function openLong(): Promise<{ readonly app: RunningApp; readonly page: Page }> {
    const app = await start()
    await app.append(stateOf(BLOCKS).blocks.map((block) => ({ type: 'block:upsert', block })))
    const page = await open(app)
    await expect.poll(() => lastWords(page, LAST)).not.toBe('')
    return { app, page }
  }

  basic('contains the rows near the view, wherever a person scrolls', async () => {
    const { page } = await openLong()
    for (const part of [1, 0.5, 0]) {
      await page.evaluate((at) => window.scrollTo(0, document.documentElement.scrollHeight * at), part)
      await expect.poll(() => page.locator('[data-block]:visible').count()).toBeGreaterThan(0)
      await expect.poll(() => page.locator('[data-block]').count()).toBeLessThan(MOST_ROWS)
    }
  })

  further('renders the block of a delta and no other', async () => {
    const { app, page } = await openLong()
    await page.evaluate(() => window.__renders?.splice(0))
    for (let at = 0; at < 30; at += 1) {
      await app.append([textDelta(LAST, `word${at} `)])
      await expect.poll(() => lastWords(page, LAST)).toContain(`word${at}`)
    }
    expect(new Set(await page.evaluate(() => window.__renders))).toEqual(new Set([`main/${LAST}`]))
  })

  further('renders a new block, and few others to make place for it', async () => {
    const { app, page } = await openLong()
    await page.evaluate(() => window.__renders?.splice(0))
    for (let at = 0; at < 30; at += 1) {
      await app.append([finishedText(`new${at}`, 'a new block')])
      await expect.poll(() => lastWords(page, `new${at}`)).not.toBe('')
    }
    const renders = (await page.evaluate(() => window.__renders)) ?? []
    expect(renders).toEqual(expect.arrayContaining(['main/new0', 'main/new29']))
    expect(renders.length).toBeLessThan(MOST_ROWS)
  })
})

/** A view and the rows around it: far fewer than the session has. */
const MOST_ROWS = 150

/** Finds the block by its id, because a text search looks at every row. */
function lastWords(page: Page, block: string): Promise<string> {
  return page.evaluate(
    (id) => document.querySelector(`[data-block="${id}"]`)?.textContent?.slice(-40) ?? '',
    block,
  )
}
