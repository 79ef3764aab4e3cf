import { mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { readTranscript, type SessionEvent } from 'agentfold'
import { claudeTranscript } from 'agentfold/claude'
import { launchChromium } from '../../test/page/chromium.ts'
import { startApp } from './server.ts'

const RECORDING = 'fixtures/laws/claude-code/work/store'
const PICTURE = 'docs/images/app.png'

/** `npm run screenshot`: writes the README's picture of the app, at a moment when agents still run. */
async function main(): Promise<void> {
  const events = untilLastPendingCall(await storedEvents(RECORDING))
  const app = await startApp({ events })
  await app.ended
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 1000 },
      deviceScaleFactor: 1.5,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    // The picture is of the moment of the last event.
    await page.clock.setFixedTime(lastTimeIn(events))
    await page.goto(app.url)
    await page.waitForSelector('[data-type="tool_use"][data-status="pending"]')
    await page.waitForSelector('.lane-row')
    // The page follows the newest block. The picture begins with the prompt.
    await page.evaluate(() => scrollTo(0, 0))
    await mkdir(dirname(PICTURE), { recursive: true })
    await page.screenshot({ path: PICTURE })
  } finally {
    await browser.close()
    await app.close()
  }
  process.stdout.write(`${PICTURE}\n`)
}

/** The files have the person's prompt, and a time of each block. */
async function storedEvents(folder: string): Promise<readonly SessionEvent[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = names.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const files = await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const))
  return readTranscript('claude-sdk', claudeTranscript(Object.fromEntries(files))).events
}

/** Returns the events up to the last one that leaves a tool call open, so the picture shows every status. */
function untilLastPendingCall(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const last = events.findLastIndex(
    (event) =>
      event.type === 'block:upsert' && event.block.type === 'tool_use' && event.block.status === 'pending',
  )
  return events.slice(0, last + 1)
}

function lastTimeIn(events: readonly SessionEvent[]): string {
  const times = events.flatMap((event) =>
    event.type === 'block:upsert' ? (event.block.timestamp ?? []) : [],
  )
  return times.at(-1) ?? new Date().toISOString()
}

await main()
