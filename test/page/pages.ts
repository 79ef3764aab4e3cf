import {
  type ConversationBlock,
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from 'agentfold'
import { createSessionHub, type SessionHub } from 'agentfold/hub'
import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { type AppOptions, type RunningApp, startApp } from '../../examples/app/server.ts'
import { builtPage } from './built.ts'
import { closePages, sharedBrowser } from './chromium.ts'
import { orderOn, shownOf, shownOn } from './shown.ts'

/** A server, and the state that its pages must show. */
export interface TestedApp extends RunningApp {
  readonly state: SessionConversationState
}

/** The servers and pages of one test. They are closed after it. */
export interface Pages {
  readonly start: (options?: AppOptions) => Promise<TestedApp>
  /** Opens a page that counts what it renders, and waits until it follows the session. */
  readonly open: (app: RunningApp) => Promise<Page>
}

/** Call it within `describe`. An error in a page fails the test. */
export function usePages(): Pages {
  let browser: Browser
  let html = ''
  const apps: RunningApp[] = []
  const errors: string[] = []
  beforeAll(async () => {
    html = await builtPage({ countsRenders: true })
    browser = await sharedBrowser()
  })
  afterEach(async () => {
    await closePages(browser)
    await Promise.all(apps.splice(0).map((app) => app.close()))
    expect(errors.splice(0)).toEqual([])
  })
  return {
    start: async ({ hub = createSessionHub(), ...options } = {}) => {
      let state = createInitialConversationState()
      const publish: SessionHub['publish'] = (id, input) => {
        state = reduceSessionEvents(state, 'events' in input ? input.events : input)
        return hub.publish(id, input)
      }
      const app = await startApp({ page: html, ...options, hub: { ...hub, publish } })
      apps.push(app)
      return {
        ...app,
        get state() {
          return state
        },
      }
    },
    open: async (app) => {
      const page = await browser.newPage()
      page.on('pageerror', (error) => errors.push(String(error)))
      await page.addInitScript(() => {
        window.__renders = []
      })
      await page.goto(app.url)
      await page.waitForSelector('[data-connection="live"]')
      return page
    },
  }
}

export async function append(app: RunningApp, events: readonly SessionEvent[]): Promise<void> {
  for (const [at, event] of events.entries()) {
    void app.append([event])
    // Lets the page show some events in between.
    if (at % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Waits until the page shows the server's state, text by text and in its order. */
export async function agree(page: Page, { state }: TestedApp): Promise<void> {
  await expect.poll(() => shownOn(page), { interval: 100 }).toEqual(shownOf(state))
  const calls = new Set(state.blocks.flatMap((block) => (block.type === 'tool_use' ? block.toolUseId : [])))
  const isOfCall = (block: ConversationBlock): boolean =>
    block.type === 'tool_result' || (block.type === 'request' && calls.has(block.toolUseId ?? ''))
  const order = state.blocks.filter((block) => !isOfCall(block)).map(({ id }) => id)
  await expect.poll(() => orderOn(page, 'main')).toEqual(order)
}
