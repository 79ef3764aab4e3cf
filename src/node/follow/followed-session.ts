import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import type { Architecture } from '../../programs/program.ts'
import { comparePlaces, type EntryPlace, type PlacedEntry } from '../../reading/input/transcript-order.ts'
import type { Session, Source } from '../../reading/source.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { type FoldedEntries, foldEntries, joinFolded } from '../fold.ts'
import type { RestartReason } from './growing-file.ts'
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

  /**
   * Returns the new content; undefined if there is none, or if the program is still writing it. Throws the signal's
   * reason after the abort.
   */
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
   * Folds all entries, because their order decides the state. In most sessions it is equal to the state in the order
   * of arrival. Then nothing begins again.
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

/** Some entries in order, and the session before them. */
interface Step {
  readonly before: Session
  readonly entries: readonly PlacedEntry[]
}

/** The number of entries of a step. Each step holds on to an older state, so a step is not one entry. */
const STEP = 128

/** The number of steps that stay in memory. A line that is later than these needs another reading of the files. */
const KEPT_STEPS = 8

/**
 * Folds the entries of several files, as they arrive, into the state that their order by time gives. Files of one
 * session grow at the same time, so a line may arrive after a later line of another file.
 */
class OrderedFold {
  readonly #source: Source
  #current: Session
  #steps: readonly Step[] = []
  /** The place of the last entry of the steps that are forgotten. */
  #forgotten: EntryPlace | undefined

  /** `last` is the place of the last entry in the fold, if the fold has any. */
  constructor(source: Source, start: Session = source.open(), last?: EntryPlace) {
    this.#source = source
    this.#current = start
    this.#forgotten = last
  }

  get current(): Session {
    return this.#current
  }

  /** The place of the last entry by time. */
  get last(): EntryPlace | undefined {
    return this.#steps.at(-1)?.entries.at(-1)?.place ?? this.#forgotten
  }

  /** Folds entries after all others, whatever their times. The fold itself stays as it is. */
  preview(entries: readonly PlacedEntry[]): FoldedEntries {
    const plain = entries.map(({ entry }) => entry)
    return foldEntries(this.#source, this.#current, plain)
  }

  /**
   * Adds entries, which are in order. Returns undefined, and adds nothing, if the new entries change the state of the
   * earlier ones: then only the entries of all files give the state.
   */
  add(entries: readonly PlacedEntry[]): FoldedEntries | undefined {
    const [first] = entries
    const { last } = this
    const isLate = first && last && comparePlaces(last, first.place) > 0
    return isLate ? this.#insert(first, entries) : this.#append(entries)
  }

  #append(entries: readonly PlacedEntry[]): FoldedEntries {
    const start = this.#current
    const parts: FoldedEntries[] = []
    for (let from = 0; from < entries.length; from += STEP) {
      const step = { before: this.#current, entries: entries.slice(from, from + STEP) }
      const folded = this.preview(step.entries)
      this.#keep([...this.#steps, step])
      this.#current = folded.session
      parts.push(folded)
    }
    return joinFolded(start, parts)
  }

  #keep(steps: readonly Step[]): void {
    const forgotten = steps.slice(0, -KEPT_STEPS).at(-1)
    this.#forgotten = forgotten?.entries.at(-1)?.place ?? this.#forgotten
    this.#steps = steps.slice(-KEPT_STEPS)
  }

  /** Goes back to the step before the first new entry. The state in the order of arrival must be the same. */
  #insert({ place }: PlacedEntry, entries: readonly PlacedEntry[]): FoldedEntries | undefined {
    if (this.#forgotten && comparePlaces(this.#forgotten, place) > 0) return undefined
    const isLater = (each: PlacedEntry) => comparePlaces(place, each.place) < 0
    const at = this.#steps.findIndex((step) => step.entries.some(isLater))
    const step = this.#steps[at]
    if (!step) return undefined
    const known = this.#steps.slice(at).flatMap((each) => each.entries)
    const rebuilt = new OrderedFold(this.#source, step.before)
    rebuilt.#append([...known, ...entries].sort((left, right) => comparePlaces(left.place, right.place)))
    const arrived = this.preview(entries)
    if (!rebuilt.adoptState(arrived)) return undefined
    this.#keep([...this.#steps.slice(0, at), ...rebuilt.#steps])
    this.#current = rebuilt.#current
    return { ...arrived, session: this.#current }
  }

  /** Continues with an equal state of which other parts of the program hold references. Returns false if the states differ. */
  adoptState({ session: { state } }: FoldedEntries): boolean {
    if (!isEqual(state, this.#current.state)) return false
    this.#current = { notes: this.#current.notes, state }
    return true
  }
}
