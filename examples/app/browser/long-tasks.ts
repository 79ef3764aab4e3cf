import type { Page } from 'playwright-core'

declare global {
  interface Window {
    /** The browser's list of what held up the page for 50 ms or more, be it script, layout or paint: in ms. */
    __longTasks?: { readonly take: () => readonly number[] }
  }
}

/** Begins to watch what holds up the page. */
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
        const taken = durations
        durations = []
        return taken
      },
    }
  })
}

/** Returns how long each of the tasks was that held up the page during the work, in ms. */
export async function longTasksDuring(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await drawn(page)
  await page.evaluate(() => window.__longTasks?.take())
  await work()
  await drawn(page)
  const durations = await page.evaluate(() => window.__longTasks?.take())
  if (!durations) throw new Error('call watchLongTasks first')
  return durations
}

/** Waits until the page has drawn what it knows; a frame is drawn after its callbacks. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}
