import type { Lane, Span } from './lanes.ts'

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

/** Returns the scale of the lanes' times. */
export function scaleOfLanes(lanes: readonly Lane[]): Scale {
  const spans = lanes.flatMap(({ from, to, bars }) =>
    bars.length > 0 ? [...bars, { from, to: from }, { from: to, to }] : [{ from, to }],
  )
  return scaleOf(spans)
}

/** Returns the time when something worked, and the time when the session waited for the person, in ms. Long pauses are in neither. */
export function timesOf(lanes: readonly Lane[]): { readonly workedMs: number; readonly waitedMs: number } {
  const bars = lanes.flatMap((lane) => lane.bars)
  const waiting = mergeSpans(bars.filter(({ kind }) => kind === 'waiting'))
  const waitedMs = waiting.reduce((sum, { from, to }) => sum + to - from, 0)
  const { activeMs } = scaleOfLanes(lanes)
  return { workedMs: Math.max(activeMs - waitedMs, 0), waitedMs }
}

/** A time with its place from 0 to 1. */
export interface Tick {
  readonly at: number
  readonly time: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The times between two ticks that people count in. In ms. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
]

const MOST_TICKS = 8

/** A label takes about this part of the width; one with seconds takes more. */
const LABEL_WIDTH = 0.11
const WIDE_LABEL_WIDTH = 0.16

/**
 * Returns round times within the span, far enough from each other for their labels, and the step between them in ms. A zoom of 2 has room
 * for twice as many.
 */
export function ticksOf(
  { from, to }: Span,
  scale: Scale,
  zoom: number,
): { readonly ticks: readonly Tick[]; readonly step: number } {
  const step = STEPS.find((each) => scale.activeMs / each <= MOST_TICKS * zoom) ?? 24 * HOUR
  const width = (step < MINUTE ? WIDE_LABEL_WIDTH : LABEL_WIDTH) / zoom
  const ticks: Tick[] = []
  let last = Number.NEGATIVE_INFINITY
  for (let time = Math.ceil(from / step) * step; time <= to && ticks.length < MOST_TICKS * 3 * zoom; ) {
    const at = scale.place(time)
    if (at - last >= width && at <= 1 - width / 2) {
      ticks.push({ at, time })
      last = at
    }
    time = nextTick(time, step, scale, to)
  }
  return { ticks, step }
}

/** Skips a long pause, in which all times have one place. */
function nextTick(time: number, step: number, scale: Scale, to: number): number {
  let next = time + step
  for (let skip = step; next + skip <= to && scale.place(next + skip) === scale.place(next); skip *= 2)
    next += skip
  return Math.ceil(next / step) * step
}
