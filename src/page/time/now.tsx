import { createContext, type Provider, useContext, useSyncExternalStore } from 'react'

/** Whether the page follows a session that still runs. A report, and a session without an event for a long time, stand still. */
const LiveContext = createContext(false)

export const LiveProvider: Provider<boolean> = LiveContext.Provider

export function useIsLive(): boolean {
  return useContext(LiveContext)
}

/** In ms. */
const TICK = 1000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

/** Returns the time in ms, which changes each second while `isTicking`. All clocks of the page share one timer. */
export function useNow(isTicking: boolean): number {
  return useSyncExternalStore(isTicking ? subscribe : noSubscription, lastTick, lastTick)
}

/** Returns a text that depends on the time in ms, and renders again when the text is another one. */
export function useClockText(textAt: (now: number) => string): string {
  const read = (): string => textAt(Date.now())
  return useSyncExternalStore(subscribe, read, read)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function lastTick(): number {
  return now
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function noSubscription(): () => void {
  return () => {}
}
