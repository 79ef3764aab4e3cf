import type { ConversationThread } from '../state/session.ts'
import type { Pair, SessionDifference, Side } from './difference.ts'
import type { Projected, ProjectionKind } from './projection.ts'

/** A conversation as both sides have it. */
export interface Conversation {
  readonly id: string
  readonly threads: Pair<ConversationThread>
  readonly carried: Pair<Carried>
  /** The messages and calls of the stored conversation that called the subagent. */
  readonly parentIds: ReadonlySet<string>
}

/** What a side has of a conversation at all. */
export interface Carried {
  readonly hasBlocks: boolean
  readonly hasPrompts: boolean
  readonly hasThinking: boolean
  /** The texts and thoughts of the model. */
  readonly modelTexts: ReadonlySet<string>
}

/** What decides how two sessions are compared, and where it is noted. */
export interface Context {
  readonly program: string | undefined
  readonly version: string
  readonly comparison: Comparison
}

/** What a comparison of two sessions has found so far. */
export class Comparison {
  readonly differences: SessionDifference[] = []
  readonly #counts = new Map<string, Projected>()

  differ(difference: SessionDifference): void {
    this.differences.push(difference)
  }

  project(kind: ProjectionKind, side: Side, count = 1): void {
    const key = `${kind} ${side}`
    const before = this.#counts.get(key)?.count ?? 0
    if (count > 0) this.#counts.set(key, { kind, side, count: before + count })
  }

  get projected(): readonly Projected[] {
    return [...this.#counts.values()]
  }
}
