import type { Step, Turn } from './turns.ts'

/** A turn of one session beside that of the other one. One side may lack it. */
export interface TurnPair {
  readonly left: Turn | undefined
  readonly right: Turn | undefined
  /** The number of steps that both begin with. */
  readonly same: number
}

/** Returns the turns of two sessions side by side. Turns with the same prompt stand beside each other. */
export function alignTurns(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  const lengths = commonLengths(left, right)
  const lengthAt = (at: number, other: number): number => lengths[at]?.[other] ?? 0
  const pairs: TurnPair[] = []
  let [at, other] = [0, 0]
  while (at < left.length || other < right.length) {
    const [one, two] = [left[at], right[other]]
    if (one && two && keyOf(one) === keyOf(two)) {
      pairs.push({ left: one, right: two, same: sameSteps(one.steps, two.steps) })
      at += 1
      other += 1
    } else if (two === undefined || (one && lengthAt(at + 1, other) >= lengthAt(at, other + 1))) {
      pairs.push({ left: one, right: undefined, same: 0 })
      at += 1
    } else {
      pairs.push({ left: undefined, right: two, same: 0 })
      other += 1
    }
  }
  return pairs
}

/** Whether the sessions go the same way in a turn. */
export function isSame({ left, right, same }: TurnPair): boolean {
  return left?.steps.length === same && right?.steps.length === same
}

/** The number of common prompts from each pair of places to the ends. */
function commonLengths(left: readonly Turn[], right: readonly Turn[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let at = left.length - 1; at >= 0; at -= 1)
    for (let other = right.length - 1; other >= 0; other -= 1) {
      const [below, row] = [lengths[at + 1] ?? [], lengths[at] ?? []]
      const isCommon = keyOf(left[at]) === keyOf(right[other])
      row[other] = isCommon ? (below[other + 1] ?? 0) + 1 : Math.max(below[other] ?? 0, row[other + 1] ?? 0)
    }
  return lengths
}

function keyOf(turn: Turn | undefined): string {
  return (turn?.prompt ?? '').toLowerCase().replace(/\s+/g, ' ').trim()
}

function sameSteps(left: readonly Step[], right: readonly Step[]): number {
  const at = left.findIndex(({ text }, place) => text !== right[place]?.text)
  return at === -1 ? left.length : at
}
