import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The shell without windows comes first: a page takes about half the time in it. */
const PATHS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** The path of the system's Chromium. The variable `CHROMIUM` names another path. */
const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path))

/** The reason for skipping browser tests; undefined if they run. They always run if `CI` is set. */
export const skipReason: string | undefined =
  executablePath !== undefined || process.env.CI
    ? undefined
    : 'SKIPPED, no Chromium: install it (apt-get install chromium-headless-shell) or name it (CHROMIUM=/path/to/chromium)'

let browser: Promise<Browser> | undefined

/** Returns the browser that all tests of a worker share. It ends with the worker. A test closes the contexts that it opens. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launchChromium()
  return browser
}

/** Closes what a test opened in the shared browser. */
export async function closePages(shared: Browser | undefined): Promise<void> {
  await Promise.all(shared?.contexts().map((context) => context.close()) ?? [])
}

/** Starts a browser. What its pages wait for has the time of a loaded machine. */
export async function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium: apt-get install chromium-headless-shell')
  const started = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  started.on('context', (context) => context.setDefaultTimeout(180_000))
  return started
}
