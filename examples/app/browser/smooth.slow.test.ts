import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stateOf } from '../../../test/bench/workloads.ts'
import type { RunningApp } from '../server.ts'
import { skipReason } from './chromium.ts'
import { finishedText, textDelta } from './events.ts'
import { drawn, longTasksDuring, watchLongTasks } from './long-tasks.ts'
import { usePages } from './pages.ts'

const BLOCKS = 10_000
const LAST = `b${BLOCKS - 1}`

describe.skipIf(skipReason)(`a page with 10,000 blocks ${skipReason ?? ''}`, () => {
  const { start, open } = usePages()

  async function openLong(): Promise<{ readonly app: RunningApp; readonly page: Page }> {
    const app = await start()
    for (const block of stateOf(BLOCKS).blocks) app.append({ type: 'block:upsert', block })
    const page = await open(app)
    await expect.poll(() => lastWords(page, LAST), { timeout: 60_000 }).not.toBe('')
    await watchLongTasks(page)
    return { app, page }
  }

  it('has no long tasks while text streams', async () => {
    const { app, page } = await openLong()
    const durations = await leastOf(3, (attempt) =>
      longTasksDuring(page, async () => {
        for (let at = 0; at < 200; at += 1) {
          app.append(textDelta(LAST, `word${attempt}-${at} `))
          await page.evaluate(() => new Promise(requestAnimationFrame))
        }
        await expect.poll(() => lastWords(page, LAST)).toContain(`word${attempt}-199`)
      }),
    )
    expect(durations).toEqual([])
  })

  it('has no long tasks while blocks appear', async () => {
    const { app, page } = await openLong()
    const durations = await leastOf(3, (attempt) =>
      longTasksDuring(page, async () => {
        for (let at = 0; at < 30; at += 1) {
          app.append(finishedText(`new${attempt}-${at}`, 'a new block'))
          await drawn(page)
        }
        await expect.poll(() => lastWords(page, `new${attempt}-29`)).not.toBe('')
      }),
    )
    expect(durations).toEqual([])
  })

  it('reports a long task, so the other tests are valid', async () => {
    const { page } = await openLong()
    const durations = await longTasksDuring(page, () =>
      page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            setTimeout(() => {
              const end = performance.now() + 60
              while (performance.now() < end);
              resolve()
            })
          }),
      ),
    )
    expect(durations).not.toEqual([])
  })
})

/**
 * Measures until there are no long tasks, at most `attempts` times. Other programs on the machine rarely slow down every attempt.
 * A page that is too slow is slow in every attempt.
 */
async function leastOf(
  attempts: number,
  measure: (attempt: number) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  let durations: readonly number[] = []
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    durations = await measure(attempt)
    if (durations.length === 0) break
  }
  return durations
}

/** Finds the block by its id, because a text search in ten thousand blocks is a long task itself. */
function lastWords(page: Page, block: string): Promise<string> {
  return page.evaluate(
    (id) => document.querySelector(`[data-block="${id}"]`)?.textContent?.slice(-40) ?? '',
    block,
  )
}
