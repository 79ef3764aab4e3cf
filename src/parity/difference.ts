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
