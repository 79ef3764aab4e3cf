/** When the store folds its pending events: with the next frame, right after the current task, or with `flush` alone. */
export type StoreSchedule = 'frame' | 'microtask' | 'manual'

/** Runs the work at some later time. */
type Defer = (work: () => void) => void

/**
 * Returns a function that schedules `work`. Several calls before the work starts schedule it once. Throws a
 * `TypeError` for an unknown schedule.
 */
export function createScheduler(schedule: StoreSchedule | Defer, work: () => void): () => void {
  const defer = typeof schedule === 'function' ? schedule : SCHEDULES.get(schedule)
  if (!defer) throw new TypeError('schedule: pass frame, microtask, manual or a function')
  let isScheduled = false
  const runWork = (): void => {
    isScheduled = false
    work()
  }
  return () => {
    if (isScheduled) return
    isScheduled = true
    try {
      defer(runWork)
    } catch (error) {
      isScheduled = false
      throw error
    }
  }
}

const SCHEDULES: ReadonlyMap<StoreSchedule, Defer> = /* @__PURE__ */ new Map<StoreSchedule, Defer>([
  ['frame', onFrame],
  ['microtask', (work) => void Promise.resolve().then(work)],
  ['manual', () => {}],
])

/** Browsers have these functions, servers do not. */
declare const requestAnimationFrame: ((work: () => void) => number) | undefined
declare const cancelAnimationFrame: (request: number) => void

const FRAME_MS = 16

/** A browser draws no frames for a hidden page. The store folds all the same, so that events do not pile up. */
const HIDDEN_MS = 250

/** Runs the work with the next frame. Without frames, it runs the work after about the same time. */
function onFrame(work: () => void): void {
  if (typeof requestAnimationFrame !== 'function') {
    setTimeout(work, FRAME_MS)
    return
  }
  const timer = setTimeout(() => {
    cancelAnimationFrame(request)
    work()
  }, HIDDEN_MS)
  const request = requestAnimationFrame(() => {
    clearTimeout(timer)
    work()
  })
}
