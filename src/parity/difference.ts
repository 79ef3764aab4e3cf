/** Which of the two states: the one from the live stream, or the one from what was stored. */
export type Side = 'live' | 'stored'

/** Something as both sides have it. */
export interface Pair<Item> {
  readonly live: Item
  readonly stored: Item
}

/**
 * What can differ:
 * - `missing-subagent`, `missing-block`, `missing-usage`: only one side has it
 * - `subagent`, `block`, `usage`, `session`: both have it, and `field` is not the same
 * - `order`: the blocks that both have stand in another order from here on
 */
export type DifferenceKind =
  | 'missing-subagent'
  | 'subagent'
  | 'missing-block'
  | 'block'
  | 'order'
  | 'missing-usage'
  | 'usage'
  | 'session'

/** One thing that is not the same on both sides, with its place. A side that does not have it is absent. */
export interface SessionDifference {
  readonly kind: DifferenceKind
  /** `'main'` or a subagent's `toolUseId`. */
  readonly conversationId: string
  /** The block or the message. */
  readonly id?: string
  readonly field?: string
  readonly live?: unknown
  readonly stored?: unknown
}
