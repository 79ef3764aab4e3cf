import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { basic, further } from '../depth.ts'
import { skipReason } from './chromium.ts'
import { callResult, finishedCall, finishedText } from './events.ts'
import { agree, append, usePages } from './pages.ts'

describe.skipIf(skipReason)(`an opened detail ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  basic('has the result of its call, and other results keep their own place', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, [
      finishedCall('call'),
      callResult({ id: 'call:result', toolUseId: 'call', output: 'beside' }),
      callResult({ id: 'another', toolUseId: 'call', output: 'apart' }),
      finishedCall('other'),
      callResult({ id: 'other:result', toolUseId: 'unseen', output: 'of an unknown call' }),
    ])
    await agree(page, app)
    await page.locator('[data-block="call"] summary').click()
    await expect
      .poll(() => page.locator('[data-block="call"] [data-type="tool_result"]').allInnerTexts())
      .toEqual([expect.stringContaining('beside')])
    await page.getByText('apart').waitFor({ state: 'visible' })
    await page.getByText('of an unknown call').waitFor({ state: 'visible' })
  })

  basic('of a command has its words, without the tags and the signs of a terminal', async () => {
    const app = await start()
    const page = await open(app)
    const output = '<local-command-stdout>\u001b[2mNothing\u001b[22m to compact</local-command-stdout>'
    const words = '<command-name>/compact</command-name>\n<command-args>keep tea</command-args>'
    const blocks = [
      { id: 'command', type: 'user_message', origin: 'command', content: words },
      { id: 'output', type: 'user_message', origin: 'command', content: output },
      { id: 'note', type: 'system', subtype: 'local_command', message: output },
    ] as const
    await append(
      app,
      blocks.map((block) => ({ type: 'block:upsert', block: { status: 'complete', ...block } })),
    )
    await agree(page, app)
    for (const id of ['command', 'output']) await page.locator(`[data-block="${id}"] summary`).click()
    await expect
      .poll(() => page.locator('[data-block="command"] .preview').innerText())
      .toBe('/compact keep tea')
    await expect
      .poll(() => page.locator('[data-field]').allInnerTexts())
      .toEqual([expect.stringMatching(/^\/compact\s+keep tea$/), 'Nothing to compact', 'Nothing to compact'])
  })

  basic('stays open when blocks before it disappear', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, [
      ...Array.from({ length: 50 }, (_, at) => finishedText(`b${at}`, `text ${at}`)),
      finishedCall('first of the next run'),
    ])
    await agree(page, app)
    await page.locator('[data-type="tool_use"] summary').click()
    await append(app, [{ type: 'block:removed', blockId: 'b0' }, finishedText('b50', 'text 50')])
    await agree(page, app)
    await expect.poll(() => page.locator('[data-type="tool_use"] details[open]').count()).toBe(1)
  })

  basic('can be reached and scrolled with the keyboard alone', async () => {
    const app = await start()
    const page = await open(app)
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')
    await append(app, [
      finishedCall('call', { content: lines }),
      callResult({ id: 'call:result', toolUseId: 'call', output: lines }),
    ])
    await agree(page, app)
    await page.locator('[data-block="call"] summary').focus()
    await page.keyboard.press('Enter')
    for (const name of ['content', 'Output']) {
      const box = page.getByRole('group', { name, exact: true })
      await tabTo(page, box)
      await page.keyboard.press('End')
      await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true)
      await expect.poll(() => box.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0)
      // Chromium makes a scrolling box focusable by default. Other browsers do not.
      await expect.poll(() => box.getAttribute('tabindex')).toBe('0')
    }
  })

  further('is next in the keyboard order after the link that skips the contents', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, [finishedCall('call')])
    await agree(page, app)
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Go to the conversation')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY')
  })
})

/** A button that copies the text may stand before it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 3; presses += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
}
