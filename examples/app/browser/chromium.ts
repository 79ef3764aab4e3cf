import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where the system's Chromium is; `CHROMIUM` says so if it is elsewhere. */
const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path))

/** Why tests in a browser are skipped; undefined where they are not. Where `CI` is set they never are. */
export const skipReason: string | undefined =
  executablePath !== undefined || process.env.CI
    ? undefined
    : 'SKIPPED, no Chromium: install it (apt-get install chromium) or name it (CHROMIUM=/path/to/chromium)'

export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium: apt-get install chromium')
  return chromium.launch({
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
}
