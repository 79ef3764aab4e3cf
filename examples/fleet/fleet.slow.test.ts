import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closePages, sharedBrowser, skipReason as withoutChromium } from '../../test/page/chromium.ts'
import { skipReason as withoutRedis } from '../../test/server/log/faults/redis-server.ts'
import { type RunningExample, runExample } from '../command.ts'
import { SESSIONS } from './sessions.ts'

const skipReason = withoutRedis ?? withoutChromium

describe.skipIf(skipReason)(`a fleet ${skipReason ?? ''}`, () => {
  let browser: Browser
  let fleet: RunningExample
  beforeAll(async () => {
    browser = await sharedBrowser()
    fleet = await runExample('fleet')
  })
  afterAll(async () => {
    await fleet?.stop()
    await closePages(browser)
  })

  it('shows every session to its end, by each server', async () => {
    const servers = [fleet.url, await fleet.nextLine()]
    for (const url of servers) {
      const page = await browser.newPage()
      page.on('pageerror', (error) => expect.unreachable(String(error)))
      await page.goto(url)
      for (const id of SESSIONS) await page.getByRole('heading', { name: `${id}: finished` }).waitFor()
      const headings = await page.getByRole('heading').allInnerTexts()
      expect(headings).toEqual([...SESSIONS].sort().map((id) => `${id}: finished`))
    }
  })
})
