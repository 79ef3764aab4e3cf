import { alignLists } from '../changes/align-lists.ts'
import type { Step, Turn } from './turns.ts'

/** A turn of one session beside that of the other one. One side may lack it. */
export interface TurnPair {
  readonly left: Turn | undefined
  readonly right: Turn | undefined
  /** The number of steps that both begin with. */
  readonly same: number
}

/** Returns the turns of two sessions side by side. Turns with the same prompt are in one row. */
export function alignTurns(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  return alignLists(left, right, keyOf).map((pair) => ({
    ...pair,
    same: pair.left && pair.right ? sameSteps(pair.left.steps, pair.right.steps) : 0,
  }))
}

/** Whether the sessions go the same way in a turn. */
export function isSame({ left, right, same }: TurnPair): boolean {
  return left?.steps.length === same && right?.steps.length === same
}

function keyOf({ prompt }: Turn): string {
  return prompt.toLowerCase().replace(/\s+/g, ' ').trim()
}

function sameSteps(left: readonly Step[], right: readonly Step[]): number {
  const at = left.findIndex(({ text }, place) => text !== right[place]?.text)
  return at === -1 ? left.length : at
}
