import { isEqual } from '../../json/equal.ts'
import { comparePlaces, type PlacedEntry } from '../../session/input/transcript-order.ts'
import type { Source } from '../../session/source.ts'
import { type Fold, type FoldedEntries, foldEntries, joinFolded } from '../fold.ts'

/** Some entries in order, and the fold before them. */
interface Step {
  readonly before: Fold
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
  readonly #source: Source<unknown>
  #current: Fold
  #steps: readonly Step[] = []
  /** The last entry of the steps that are forgotten. */
  #forgotten: PlacedEntry | undefined

  /** `last` is the last entry in the fold, if the fold has any. */
  constructor(source: Source<unknown>, start: Fold, last?: PlacedEntry) {
    this.#source = source
    this.#current = start
    this.#forgotten = last
  }

  get current(): Fold {
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

  #fold(before: Fold, entries: readonly PlacedEntry[]): FoldedEntries {
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

  #append(steps: readonly Step[], start: Fold, sorted: readonly PlacedEntry[]): FoldedEntries {
    const added: Step[] = []
    let result: FoldedEntries = { fold: start, events: [], issues: [] }
    for (let from = 0; from < sorted.length; from += STEP) {
      const entries = sorted.slice(from, from + STEP)
      const { fold: before } = result
      added.push({ before, entries })
      result = joinFolded(result, this.#fold(before, entries))
    }
    this.#keep([...steps, ...added])
    this.#current = result.fold
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
    if (!isEqual(arrived.fold.state, rebuilt.fold.state)) return undefined
    this.#append(this.#steps.slice(0, at), step.before, inOrder)
    this.#current = { memory: this.#current.memory, state: arrived.fold.state }
    return { ...arrived, fold: this.#current }
  }

  /** Continues with an equal state of which other parts of the program hold references. */
  adoptState(state: Fold['state']): void {
    this.#current = { memory: this.#current.memory, state }
  }
}

function isBefore(first: PlacedEntry, last: PlacedEntry | undefined): boolean {
  return last !== undefined && comparePlaces(first, last) < 0
}
