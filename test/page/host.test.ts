import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { buildPage, ROOT } from '../../tools/page/bundle.ts'
import { basic } from '../depth.ts'
import { problemsOn } from './axe.ts'
import { sharedBrowser, skipReason } from './chromium.ts'

describe.skipIf(skipReason)(`a host that answers requests ${skipReason ?? ''}`, () => {
  let browser: Browser
  let html = ''
  beforeAll(async () => {
    const folder = join(ROOT, 'src/page')
    html = await buildPage({ source: { folder, script: '../../test/page/host.tsx', style: 'page.css' } })
    browser = await sharedBrowser()
  })

  basic('has a button for each option of an open request, and gets the answer', async () => {
    const page = await browser.newPage()
    await page.setContent(html)
    const request = page.locator('[data-block="p"]')
    const buttons = request.getByRole('button')
    await expect.poll(() => buttons.allTextContents()).toEqual(['Allow', 'Allow always', 'Deny'])
    await expect.poll(() => request.getByText('Answer in').count()).toBe(0)
    // An answered request has none, and one without options is answered in the program.
    await expect.poll(() => page.locator('[data-block="d"] button').count()).toBe(0)
    await expect.poll(() => page.locator('[data-block="s"] button').count()).toBe(0)
    await expect.poll(() => page.locator('[data-block="s"]').innerText()).toContain('Answer in claude-code.')
    await buttons.last().click()
    await expect.poll(() => page.evaluate(() => window.__answers)).toEqual([['p', 'deny']])
    await expect.poll(() => buttons.last().getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => request.getByRole('status').innerText()).toBe('The answer is sent.')
    await expect.poll(() => request.locator('.outcome').innerText()).toBe('waiting for you')
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.getByRole('article', { name: 'Question, waiting for you' }).getByRole('button').first().click()
    await expect.poll(() => page.evaluate(() => window.__answers?.at(-1))).toEqual(['open', [['Tea']]])
    const several = page.locator('[data-block="several"]')
    const send = several.getByRole('button', { name: 'Send the answer' })
    await expect.poll(() => send.isDisabled()).toBe(true)
    await several.getByLabel('Tea').check()
    await several.getByLabel('Milk').check()
    await send.click()
    await expect
      .poll(() => page.evaluate(() => window.__answers?.at(-1)))
      .toEqual(['several', [['Tea', 'Milk']]])
    await expect.poll(() => problemsOn(page)).toEqual([])
    await page.close()
  })
})
