import type { JsonObject } from '../../state/json.ts'

/** A line that waits until something tells whose it is, and those that wait with it. */
export interface HeldLine {
  readonly raw: JsonObject
  readonly before: HeldLine | undefined
}

/** The lines in their order. */
export function heldLines(last: HeldLine | undefined): readonly JsonObject[] {
  const lines: JsonObject[] = []
  for (let held = last; held; held = held.before) lines.push(held.raw)
  return lines.reverse()
}
