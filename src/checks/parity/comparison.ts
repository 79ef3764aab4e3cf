import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/lists.ts'
import { isPending } from '../../core/state/block.ts'
import type { ConversationThread } from '../../core/state/session.ts'
import type {
  ContentSummary,
  Coverage,
  ExclusionKind,
  Side,
  UnmatchedBlock,
} from '../../programs/coverage.ts'

/** One conversation on both sides. */
export interface ConversationPair {
  readonly id: string
  readonly threads: Pair<ConversationThread>
  readonly content: Pair<ContentSummary>
  /** The ids of messages and calls in the stored conversation that called the subagent. */
  readonly parentIds: ReadonlySet<string>
  /** The work of all agents on each side, as `workKey` names it. */
  readonly agentWork: Pair<ReadonlySet<string>>
}

/** The facts that decide how two sessions are compared, and the place for the findings. */
export interface ComparisonContext {
  /** Undefined if the program is unknown. */
  readonly coverage: Coverage | undefined
  readonly version: string
  readonly comparison: Comparison
}

/** The findings of a comparison so far. */
export class Comparison {
  readonly differences: SessionDifference[] = []
  readonly #counts = new Map<string, ExcludedContent>()

  differ(difference: SessionDifference): void {
    this.differences.push(difference)
  }

  exclude(kind: ExclusionKind, side: Side, count = 1): void {
    const key = `${kind} ${side}`
    const before = this.#counts.get(key)?.count ?? 0
    if (count > 0) this.#counts.set(key, { kind, side, count: before + count })
  }

  get excluded(): readonly ExcludedContent[] {
    return [...this.#counts.values()]
  }
}

/** The same thing on both sides. */
export interface Pair<Item> {
  readonly live: Item
  readonly stored: Item
}

/**
 * The kinds of differences:
 * - `missing-subagent`, `missing-block`, `missing-usage`: only one side has it
 * - `turn`, `subagent`, `block`, `usage`, `session`: both sides have it, with different values of `field`
 * - `order`: from here on, both sides have the same blocks in a different order
 */
export type DifferenceKind =
  | 'missing-subagent'
  | 'subagent'
  | 'missing-block'
  | 'block'
  | 'order'
  | 'missing-usage'
  | 'turn'
  | 'usage'
  | 'session'

/** One difference between the two sides, with its place. A side that lacks the thing is absent. */
export interface SessionDifference {
  readonly kind: DifferenceKind
  /** `'main'` or a subagent's `toolUseId`. */
  readonly conversationId: string
  /** The id of the block or the message. */
  readonly id?: string
  readonly field?: string
  readonly live?: unknown
  readonly stored?: unknown
}

/** How much content of one kind the comparison ignored, and which side has it. */
export interface ExcludedContent {
  readonly kind: ExclusionKind
  readonly side: Side
  readonly count: number
}

/** Returns the kind of a block that one side may have alone; undefined if both sides should have it. */
export function exclusionOf(
  unmatched: UnmatchedBlock,
  coverage: Coverage | undefined,
): ExclusionKind | undefined {
  if (isPending(unmatched.block)) return 'unfinished'
  return coverage?.exclusions.find(
    ({ side, applies }) => (side === 'both' || side === unmatched.side) && applies(unmatched),
  )?.kind
}

interface FieldSelection {
  readonly ignored?: readonly string[]
  /** Fields that are compared only if both sides know them. */
  readonly optional: readonly string[]
}

/** Compares two records field by field. */
export function compareFields(
  place: SessionDifference,
  pair: Pair<object>,
  { ignored = [], optional }: FieldSelection,
  comparison: Comparison,
): void {
  for (const field of new Set([...Object.keys(pair.live), ...Object.keys(pair.stored)])) {
    if (ignored.includes(field)) continue
    const live: unknown = Reflect.get(pair.live, field)
    const stored: unknown = Reflect.get(pair.stored, field)
    if (isEqual(live, stored)) continue
    const isUnknown = live === undefined || stored === undefined
    if (isSameTime(field, live, stored)) comparison.exclude('unknown-fact', 'live')
    else if (isUnknown && optional.includes(field))
      comparison.exclude('unknown-fact', live === undefined ? 'stored' : 'live')
    else comparison.differ({ ...place, field, ...omitUndefined({ live, stored }) })
  }
}

/** Whether both sides have different values of a field. */
export function isDifferent({ live, stored }: Pair<object>, field: string): boolean {
  return !isEqual(Reflect.get(live, field), Reflect.get(stored, field))
}

/** In ms. A program takes the times of its stream and of its files one after the other. */
const TIME_TOLERANCE = 250

function isSameTime(field: string, live: unknown, stored: unknown): boolean {
  if (field !== 'timestamp' && field !== 'durationMs') return false
  const [left, right] = [live, stored].map((value) => (typeof value === 'string' ? timeInMs(value) : value))
  return typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) <= TIME_TOLERANCE
}
