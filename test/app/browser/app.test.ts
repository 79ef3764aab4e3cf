import { join } from 'node:path'
import type { SessionEvent } from 'agentfold'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { interleaved, stateOf } from '../../bench/workloads.ts'
import { readRecording } from '../recording.ts'
import { type AppOptions, type RunningApp, startApp } from '../server.ts'
import { launchChromium, skipReason } from './chromium.ts'
import { orderOn, shownOf, shownOn } from './shown.ts'
import { cutting, unruly } from './transports.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const NESTED = 'claude-code/06-nested-forward/stream.ndjson'
const PARALLEL = 'claude-code/05-three-parallel-forward/stream.ndjson'
const PARTIAL = 'claude-code/03-tools/stream.ndjson'
const INTERRUPTED = 'claude-code/11d-control-interrupt/stream.ndjson'
const OPENCODE = 'opencode/06-nested/events.ndjson'

const eventsOf = (name: string): Promise<readonly SessionEvent[]> => readRecording(join(FIXTURES, name))

describe.skipIf(skipReason)(`the app in a browser ${skipReason ?? ''}`, () => {
  let browser: Browser
  let apps: RunningApp[] = []
  const faults: string[] = []

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    await Promise.all(apps.map((app) => app.close()))
    apps = []
    expect(faults.splice(0)).toEqual([])
  })

  async function start(options: AppOptions = {}): Promise<RunningApp> {
    const app = await startApp(options)
    apps.push(app)
    return app
  }

  /** A page that counts what it renders. */
  async function open(app: RunningApp): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.addInitScript(() => {
      window.__renders = []
    })
    await page.goto(app.url)
    return page
  }

  async function append(app: RunningApp, events: readonly SessionEvent[]): Promise<void> {
    for (const [at, event] of events.entries()) {
      app.append(event)
      // The page is to see some of it in between.
      if (at % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Waits until the page shows the server's state, text by text and in its order. */
  async function agree(page: Page, app: RunningApp): Promise<void> {
    const { state } = app.snapshot()
    await expect.poll(() => shownOn(page), { timeout: 30_000, interval: 100 }).toEqual(shownOf(state))
    const order = state.blocks.filter(({ type }) => type !== 'tool_result').map(({ id }) => id)
    expect(await orderOn(page, 'main')).toEqual(order)
  }

  it.each([NESTED, PARALLEL, PARTIAL, INTERRUPTED, OPENCODE])(
    'shows what the server knows, to who was there from the beginning and to who comes late: %s',
    async (name) => {
      const events = await eventsOf(name)
      const app = await start()
      const early = await open(app)
      await append(app, events.slice(0, events.length / 2))
      const late = await open(app)
      await append(app, events.slice(events.length / 2))
      expect(app.snapshot().state.blocks.length).toBeGreaterThan(0)
      await agree(early, app)
      await agree(late, app)
    },
  )

  it('shows each text once though events come twice, late and in another order', async () => {
    const events = await eventsOf(PARTIAL)
    const app = await start({ transport: unruly(1) })
    const page = await open(app)
    await append(app, events)
    await agree(page, app)
  })

  it('goes on where it was when the connection breaks in the middle of a text', async () => {
    const events = await eventsOf(PARTIAL)
    const app = await start({ transport: cutting(20) })
    const page = await open(app)
    await append(app, events)
    await agree(page, app)
  })

  it('notices that the server began another log', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, await eventsOf(NESTED))
    await agree(page, app)
    await app.close()
    apps = []
    const again = await start({ port: Number(new URL(app.url).port) })
    await append(again, await eventsOf(PARALLEL))
    await agree(page, again)
  })

  it('shows three agents that write at the same time', async () => {
    const app = await start()
    const page = await open(app)
    await append(app, interleaved(3))
    await expect.poll(() => page.locator('[data-agent]').count()).toBe(4)
    await agree(page, app)
  })

  it('renders the block of a delta and no other', async () => {
    const events = await eventsOf(NESTED)
    const app = await start({ events })
    const page = await open(app)
    await app.ended
    await append(app, [pendingText('live')])
    await agree(page, app)
    await page.evaluate(() => window.__renders?.splice(0))
    for (let at = 0; at < 5; at += 1) {
      app.append({ type: 'block:delta', blockId: 'live', delta: `word ${at} ` })
      await page.getByText(`word ${at}`).waitFor()
    }
    expect(await page.evaluate(() => window.__renders)).toEqual(Array.from({ length: 5 }, () => 'main/live'))
  })

  it('streams into 10,000 blocks without holding up the page for 50 ms', async () => {
    const app = await start()
    for (const block of stateOf(10_000).blocks) app.append({ type: 'block:upsert', block })
    const page = await browser.newPage()
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.addInitScript(measureFrames)
    await page.goto(app.url)
    await expect.poll(() => page.locator('[data-block]').count(), { timeout: 60_000 }).toBe(10_000)
    await page.evaluate(() => window.__frames?.splice(0))
    const blockId = 'b9999'
    for (let at = 0; at < 200; at += 1) {
      app.append({ type: 'block:delta', blockId, delta: `word${at} ` })
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    await page.getByText('word199').waitFor()
    const frames = (await page.evaluate(() => window.__frames)) ?? []
    expect(frames.length).toBeGreaterThan(20)
    expect(frames.filter((ms) => ms > 50)).toEqual([])
  })
})

declare global {
  interface Window {
    /** How long the work of each frame took, in ms. */
    __frames?: number[]
  }
}

/** The store folds, and tells who listens, in the callback of a frame. */
function measureFrames(): void {
  window.__frames = []
  const request = window.requestAnimationFrame.bind(window)
  window.requestAnimationFrame = (work) =>
    request((time) => {
      const start = performance.now()
      work(time)
      window.__frames?.push(performance.now() - start)
    })
}

function pendingText(id: string): SessionEvent {
  return { type: 'block:upsert', block: { id, type: 'assistant_text', status: 'pending', content: '' } }
}
