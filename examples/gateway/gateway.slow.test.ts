import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closePages, sharedBrowser, skipReason } from '../../test/page/chromium.ts'
import { runExample } from '../command.ts'
import { listen } from '../listen.ts'
import { runAgent } from './agents.ts'
import { Gateway, gatewayServer } from './gateway.ts'

describe.skipIf(skipReason)(`the gateway ${skipReason ?? ''}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  it('shows which agent started which, with one command', async () => {
    const example = await runExample('gateway')
    try {
      const page = await browser.newPage()
      await page.goto(example.url)
      await page.getByText('builder (root): running').waitFor()
      expect(await example.nextLine()).toBe('A test expects the old name.')
      await page.getByText('builder (root): success').waitFor()
      const text = await page.locator('body').innerText()
      const lines = text.split('\n').map((line) => /^(.*), (\d+) tokens in, (\d+) out$/.exec(line.trim()))
      // The sums of a parent hold those of its children.
      const tokens = lines.map((line) => Number(line?.[2]) + Number(line?.[3]))
      expect(tokens[0]).toBeGreaterThan(Number(tokens[1]) + Number(tokens[2]))
      expect(tokens[2]).toBeGreaterThan(Number(tokens[3]))
      expect(lines.map((line) => line?.[1])).toEqual([
        'builder (root): success',
        'reader (child): success',
        'tester (child): success',
        'reader (child): success',
      ])
      const inTester = page.locator('li', { hasText: /^tester/ }).locator('li')
      await expect
        .poll(() => inTester.allInnerTexts())
        .toEqual([expect.stringContaining('reader (child): success')])
    } finally {
      await example.stop()
    }
  })
})

it('reports a model that does not answer', async () => {
  const gateway = new Gateway('http://127.0.0.1:1/')
  const server = gatewayServer(gateway, {})
  const url = await listen(server)
  await expect(runAgent(url, 'builder', 'Hello.')).rejects.toThrow('502')
  expect(gateway.registry.agents).toMatchObject([{ name: 'builder', status: 'error' }])
  expect((await fetch(`${url}nothing`)).status).toBe(404)
  server.close()
})
