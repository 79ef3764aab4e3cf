import { isEqual } from '../../json/equal.ts'
import { comparePlaces, type PlacedEntry } from '../../session/input/transcript-order.ts'
import type { Session } from '../../session/session.ts'
import type { Source } from '../../session/source.ts'
import { type FoldedEntries, foldEntries, joinFolded } from '../fold.ts'

/** Some entries in order, and the fold before them. */
interface Step {
  readonly before: Session
  readonly entries: readonly PlacedEntry[]
}

/** The number of entries of a step. Each step holds on to an older state, so a step is not one entry. */
const STEP = 128

/** The number of steps that stay in memory. A line that is later than these needs another reading of the files. */
const KEPT_STEPS = 8

/**
 * Folds the entries of several files, as they arrive, into the state that their order by time gives. Files of one session grow at the
 * same time, so a line may arrive after a later line of another file.
 */
export class OrderedFold {
  readonly #source: Source
  #current: Session
  #steps: readonly Step[] = []
  /** The last entry of the steps that are forgotten. */
  #forgotten: PlacedEntry | undefined

  /** `last` is the last entry in the fold, if the fold has any. */
  constructor(source: Source, start: Session, last?: PlacedEntry) {
    this.#source = source
    this.#current = start
    this.#forgotten = last
  }

  get current(): Session {
    return this.#current
  }

  /** The last entry by time. */
  get last(): PlacedEntry | undefined {
    return this.#steps.at(-1)?.entries.at(-1) ?? this.#forgotten
  }

  /** Folds entries in the order of their arrival. The fold itself stays as it is. */
  preview(entries: readonly PlacedEntry[]): FoldedEntries {
    return this.#fold(this.#current, entries)
  }

  #fold(before: Session, entries: readonly PlacedEntry[]): FoldedEntries {
    return foldEntries(
      this.#source,
      before,
      entries.map(({ entry }) => entry),
    )
  }

  /**
   * Adds entries in the order of their times. Returns undefined, and adds nothing, if the new entries change the state of the earlier ones:
   * then only the entries of all files give the state.
   */
  add(entries: readonly PlacedEntry[]): FoldedEntries | undefined {
    const sorted = [...entries].sort(comparePlaces)
    const [first] = sorted
    const last = this.last
    if (!first || !last || comparePlaces(last, first) <= 0)
      return this.#append(this.#steps, this.#current, sorted)
    return this.#insert(first, sorted)
  }

  #append(steps: readonly Step[], start: Session, sorted: readonly PlacedEntry[]): FoldedEntries {
    const added: Step[] = []
    let result: FoldedEntries = { session: start, events: [], issues: [] }
    for (let from = 0; from < sorted.length; from += STEP) {
      const entries = sorted.slice(from, from + STEP)
      const { session: before } = result
      added.push({ before, entries })
      result = joinFolded(result, this.#fold(before, entries))
    }
    this.#keep([...steps, ...added])
    this.#current = result.session
    return result
  }

  #keep(steps: readonly Step[]): void {
    const forgotten = steps.slice(0, -KEPT_STEPS).at(-1)
    this.#forgotten = forgotten?.entries.at(-1) ?? this.#forgotten
    this.#steps = steps.slice(-KEPT_STEPS)
  }

  /** Goes back to the step before the first new entry. The state in the order of arrival must be the same. */
  #insert(first: PlacedEntry, sorted: readonly PlacedEntry[]): FoldedEntries | undefined {
    if (this.#forgotten && comparePlaces(this.#forgotten, first) > 0) return undefined
    const at = this.#steps.findIndex(({ entries }) => isBefore(first, entries.at(-1)))
    const step = this.#steps[at]
    if (!step) return undefined
    const inOrder = [...this.#steps.slice(at).flatMap(({ entries }) => entries), ...sorted].sort(
      comparePlaces,
    )
    const arrived = this.preview(sorted)
    const rebuilt = this.#fold(step.before, inOrder)
    if (!isEqual(arrived.session.state, rebuilt.session.state)) return undefined
    this.#append(this.#steps.slice(0, at), step.before, inOrder)
    this.#current = { notes: this.#current.notes, state: arrived.session.state }
    return { ...arrived, session: this.#current }
  }

  /** Continues with an equal state of which other parts of the program hold references. */
  adoptState(state: Session['state']): void {
    this.#current = { notes: this.#current.notes, state }
  }
}

function isBefore(first: PlacedEntry, last: PlacedEntry | undefined): boolean {
  return last !== undefined && comparePlaces(first, last) < 0
}
