import type { Page } from 'playwright-core'

declare global {
  interface Window {
    /** The durations of the browser's long tasks in ms: script, layout or paint of 50 ms or more. */
    __longTasks?: { readonly take: () => readonly number[] }
  }
}

/** Starts to record long tasks. */
export async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    let durations: readonly number[] = []
    const read = (entries: PerformanceEntryList): void => {
      durations = [...durations, ...entries.map(({ duration }) => duration)]
    }
    const observer = new PerformanceObserver((list) => read(list.getEntries()))
    observer.observe({ type: 'longtask' })
    window.__longTasks = {
      take: () => {
        read(observer.takeRecords())
        const recorded = durations
        durations = []
        return recorded
      },
    }
  })
}

/** Returns the durations of the long tasks during the work, in ms. */
export async function longTasksDuring(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await drawn(page)
  await page.evaluate(() => window.__longTasks?.take())
  await work()
  await drawn(page)
  const durations = await page.evaluate(() => window.__longTasks?.take())
  if (!durations) throw new Error('call watchLongTasks first')
  return durations
}

/** Waits until the page has drawn its state. A browser draws a frame after the frame's callbacks. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}
