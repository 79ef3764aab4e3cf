import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SessionConversationState } from 'agentfold'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { htmlReport } from '../../src/cli/page/html-report.ts'
import type { Redact } from '../../src/redaction/options.ts'
import { builtReport } from './built.ts'
import { closePages, sharedBrowser } from './chromium.ts'

declare global {
  interface Window {
    /** What the content security policy refused. */
    __refused?: string[]
    /** Set by content that runs although it must not. */
    __ran?: unknown
  }
}

interface OpenOptions extends BrowserContextOptions {
  readonly redact?: Redact
  /** The end of the address, which names a place. */
  readonly fragment?: string
}

export interface Reports {
  /** Writes the report of a session, and opens it from the disk without a network. */
  readonly open: (state: SessionConversationState, options?: OpenOptions) => Promise<Page>
  /** The size of the last report, in bytes. */
  readonly size: () => Promise<number>
}

/** Call it within `describe`. A request, a refusal by the policy, a script of the session or an error fails the test. */
export function useReports(): Reports {
  let browser: Browser
  let folder = ''
  let html = ''
  const problems: string[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-report-'))
    html = await builtReport({ countsRenders: true })
    browser = await sharedBrowser()
  })
  afterAll(() => rm(folder, { recursive: true }))
  afterEach(async () => {
    const pages = browser.contexts().flatMap((context) => context.pages())
    for (const page of pages) problems.push(...(await page.evaluate(problemsOf)))
    await closePages(browser)
    expect(problems.splice(0)).toEqual([])
  })
  const path = (): string => join(folder, 'report.html')
  return {
    size: async () => (await stat(path())).size,
    open: async (state, { redact, fragment = '', ...options } = {}) => {
      await writeFile(path(), htmlReport(state, { page: html, redact }))
      const context = await browser.newContext({ offline: true, ...options })
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`))
      page.on('request', (request) => {
        if (!/^(?:file|data|blob):/.test(request.url())) problems.push(request.url())
      })
      await page.addInitScript(() => {
        window.__refused = []
        window.__renders = []
        document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
          window.__refused?.push(`${violatedDirective} ${blockedURI}`)
        })
      })
      await page.goto(pathToFileURL(path()).href + fragment)
      await page.waitForSelector('.rows, .changes-view')
      return page
    },
  }
}

function problemsOf(): readonly string[] {
  return [...(window.__refused ?? []), ...(window.__ran === undefined ? [] : ['a script of the session ran'])]
}
