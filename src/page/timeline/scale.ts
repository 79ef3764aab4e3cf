import type { Span } from './lanes.ts'

/** A pause when nothing ran, at its place from 0 to 1. */
export interface Pause {
  readonly at: number
  readonly durationMs: number
}

export interface Scale {
  /** Returns the place of a time, from 0 to 1. */
  readonly place: (time: number) => number
  readonly pauses: readonly Pause[]
  /** The time when something ran, in ms. */
  readonly activeMs: number
}

/** Shorter pauses are drawn as they are. In ms. */
const SHORT_PAUSE = 60_000

/** The part of the whole width that a long pause gets. */
const PAUSE_WIDTH = 0.02

/** Returns a scale of the times that leaves out long pauses: a person may continue a session after a night. */
export function scaleOf(spans: readonly Span[]): Scale {
  const active = mergeSpans(spans)
  const activeMs = active.reduce((sum, { from, to }) => sum + to - from, 0)
  const width = 1 - PAUSE_WIDTH * Math.max(active.length - 1, 0)
  const perMs = activeMs === 0 ? 0 : Math.max(width, 0.2) / activeMs
  const starts: number[] = []
  let at = 0
  for (const { from, to } of active) {
    starts.push(at)
    at += (to - from) * perMs + PAUSE_WIDTH
  }
  const whole = Math.max(at - PAUSE_WIDTH, Number.EPSILON)
  const pauses = active.slice(1).map(({ from }, index) => ({
    at: ((starts[index + 1] ?? 0) - PAUSE_WIDTH / 2) / whole,
    durationMs: from - (active[index]?.to ?? from),
  }))
  const place = (time: number): number => {
    const index = Math.max(
      active.findLastIndex(({ from }) => from <= time),
      0,
    )
    const { from, to } = active[index] ?? { from: time, to: time }
    return ((starts[index] ?? 0) + (Math.min(Math.max(time, from), to) - from) * perMs) / whole
  }
  return { place, pauses, activeMs }
}

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of [...spans].sort((left, right) => left.from - right.from)) {
    const last = merged.at(-1)
    if (last && from - last.to < SHORT_PAUSE) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
