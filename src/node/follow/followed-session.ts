import { omitUndefined } from '../../core/json/fields.ts'
import type { Architecture } from '../../programs/program.ts'
import type { PlacedEntry } from '../../reading/input/transcript-order.ts'
import type { Session } from '../../reading/session.ts'
import type { Source } from '../../reading/source.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { type FoldedEntries, joinFolded } from '../fold.ts'
import type { RestartReason } from './follow-issue.ts'
import { OrderedFold } from './ordered-fold.ts'
import type { LinesProgress, SessionPlace } from './progress.ts'

/** The content of a session that is followed. */
export interface FollowedContent {
  /** Files and folders to watch, beside the session's own. */
  readonly sources: readonly string[]
  /** The place in the files. Absent if the program writes the session as a whole. */
  readonly place?: LinesProgress
  /** Returns the entries since the last reading; undefined if there are none, or if the program is still writing them. */
  read(signal?: AbortSignal): Promise<NewEntries | Unreadable | undefined>
}

/** The entries of a session since the last reading. */
export interface NewEntries {
  /** The entries in order. */
  readonly portions: Iterable<readonly PlacedEntry[]> | AsyncIterable<readonly PlacedEntry[]>
  /** Whether entries before the portions so far have changed. Then only all entries give the state. */
  isReordered(): boolean
  /** Returns all entries, as far as they were read. */
  again(): NewEntries['portions']
  /** The reason to begin again if all entries give another state. */
  readonly reason: RestartReason
}

/** A session has to be read again from its beginning. */
export interface Unreadable {
  readonly restart: RestartReason
  readonly path: string
}

/** The new content of a session. */
export interface SessionChange {
  readonly folded: FoldedEntries
  /** The events start at the initial state for that reason. */
  readonly restart?: RestartReason
}

interface FollowedWire {
  readonly architecture: Architecture
  readonly source: Source
}

/** A session that is followed: its content, folded so far. */
export class FollowedSession {
  readonly content: FollowedContent
  readonly #wire: FollowedWire
  #fold: OrderedFold

  private constructor(wire: FollowedWire, content: FollowedContent, saved: SessionPlace | undefined) {
    this.content = content
    this.#wire = wire
    this.#fold = new OrderedFold(wire.source, saved?.session, saved?.lines?.last)
  }

  /** `saved` goes on from a saved place. */
  static async open(
    architecture: Architecture,
    content: FollowedContent,
    saved?: SessionPlace,
  ): Promise<FollowedSession> {
    return new FollowedSession({ architecture, source: await sourceOf(architecture) }, content, saved)
  }

  get session(): Session {
    return this.#fold.current
  }

  get place(): SessionPlace {
    const { place } = this.content
    const lines = place && omitUndefined({ ...place, last: this.#fold.last })
    return omitUndefined({ architecture: this.#wire.architecture, session: this.session, lines })
  }

  /** Returns the new content; undefined if there is none, or if the program is still writing it. Throws the signal's reason after the abort. */
  async read(signal?: AbortSignal): Promise<SessionChange | Unreadable | undefined> {
    const found = await this.content.read(signal)
    if (!found || 'restart' in found) return found
    const before = this.session
    const parts: FoldedEntries[] = []
    const late: PlacedEntry[] = []
    for await (const portion of found.portions) {
      signal?.throwIfAborted()
      const added = late.length > 0 || found.isReordered() ? undefined : this.#fold.add(portion)
      if (added) parts.push(added)
      else for (const entry of portion) late.push(entry)
    }
    if (late.length === 0) return { folded: joinFolded(before, parts) }
    return this.#readAgain(found, joinFolded(before, [...parts, this.#fold.preview(late)]))
  }

  /**
   * Folds all entries, because their order decides the state. In most sessions it is equal to the state in the order of arrival. Then
   * nothing begins again.
   */
  async #readAgain({ again, reason }: NewEntries, arrived: FoldedEntries): Promise<SessionChange> {
    const fold = new OrderedFold(this.#wire.source)
    const parts: FoldedEntries[] = []
    for await (const portion of again()) {
      const added = fold.add(portion)
      if (!added) throw new Error('the first entries of a fold are never late')
      parts.push(added)
    }
    this.#fold = fold
    if (!fold.adoptState(arrived)) return { folded: joinFolded(fold.current, parts), restart: reason }
    return { folded: { ...arrived, session: fold.current } }
  }
}
