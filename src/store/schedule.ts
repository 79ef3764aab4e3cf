/** When the events that have come are folded: with the next frame, as soon as the current work is done, or by `flush` alone. */
export type StoreSchedule = 'frame' | 'microtask' | 'manual'

/** Does the work at some later time. */
type Later = (work: () => void) => void

/** Returns what sees to it that the work is done later, once for all who ask until then. Throws a `TypeError` for another schedule. */
export function scheduling(schedule: StoreSchedule | Later, work: () => void): () => void {
  const later = typeof schedule === 'function' ? schedule : SCHEDULES.get(schedule)
  if (!later) throw new TypeError('schedule: pass frame, microtask, manual or a function')
  let isScheduled = false
  const begin = (): void => {
    isScheduled = false
    work()
  }
  return () => {
    if (isScheduled) return
    isScheduled = true
    try {
      later(begin)
    } catch (error) {
      isScheduled = false
      throw error
    }
  }
}

const SCHEDULES: ReadonlyMap<StoreSchedule, Later> = /* @__PURE__ */ new Map<StoreSchedule, Later>([
  ['frame', onFrame],
  ['microtask', (work) => void Promise.resolve().then(work)],
  ['manual', () => {}],
])

/** Browsers have them, servers do not. */
declare const requestAnimationFrame: ((work: () => void) => number) | undefined
declare const cancelAnimationFrame: (request: number) => void

const FRAME_MS = 16

/** Of a page that nobody looks at no frame is drawn, and neither its events nor its requests are to pile up. */
const HIDDEN_MS = 250

/** With the next frame; where there are none, after about as long a time. */
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
