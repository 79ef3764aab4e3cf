import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'
import type { SessionEvent } from 'agentfold'
import { launchChromium } from '../../test/page/chromium.ts'
import { readRecording } from './recording.ts'
import { startApp } from './server.ts'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'
const PICTURE = 'docs/images/app.png'

/** `npm run screenshot`: writes the README's picture of the app, at a moment when agents still run. */
async function main(): Promise<void> {
  const events = untilLastPendingCall(await readRecording(RECORDING))
  const app = await startApp({ events })
  await app.ended
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 880 },
      deviceScaleFactor: 1.5,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    // The picture is of the moment of the last event.
    await page.clock.setFixedTime(lastTimeIn(events))
    await page.goto(app.url)
    await page.waitForSelector('[data-type="tool_use"][data-status="pending"]')
    await page.waitForSelector('.lane-row')
    await mkdir(dirname(PICTURE), { recursive: true })
    await page.screenshot({ path: PICTURE })
  } finally {
    await browser.close()
    await app.close()
  }
  process.stdout.write(`${PICTURE}\n`)
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
