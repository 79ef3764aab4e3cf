import { compareStrings } from '../../json/compare-strings.ts'
import { isEqual } from '../../json/equal.ts'
import type { Entry } from '../../session/input/entries.ts'
import type { Source } from '../../session/source.ts'
import { type Fold, type FoldedEntries, foldEntries, joinFolded } from '../fold.ts'

/** An entry with its place among the entries of all files of a session. */
export interface OrderedEntry {
  readonly entry: Entry
  /** The time of the line, or of the latest line before it in its file. */
  readonly time: string
  /** The path of a subagent's file. Empty for the session's own file, which comes first at equal times. */
  readonly rank: string
  /** The number of messages before it in its file. */
  readonly index: number
}

/** Compares entries by time, then by file, then by their place in the file: the order in which a whole session is read. */
export function compareEntries(left: OrderedEntry, right: OrderedEntry): number {
  return (
    compareStrings(left.time, right.time) || compareStrings(left.rank, right.rank) || left.index - right.index
  )
}

/** Some entries in order, and the fold before them. */
interface Step {
  readonly before: Fold
  readonly entries: readonly OrderedEntry[]
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
  #forgotten: OrderedEntry | undefined

  /** `last` is the last entry in the fold, if the fold has any. */
  constructor(source: Source<unknown>, start: Fold, last?: OrderedEntry) {
    this.#source = source
    this.#current = start
    this.#forgotten = last
  }

  get current(): Fold {
    return this.#current
  }

  /** The last entry by time. */
  get last(): OrderedEntry | undefined {
    return this.#steps.at(-1)?.entries.at(-1) ?? this.#forgotten
  }

  /** Folds entries in the order of their arrival. The fold itself stays as it is. */
  preview(entries: readonly OrderedEntry[]): FoldedEntries {
    return this.#fold(this.#current, entries)
  }

  #fold(before: Fold, entries: readonly OrderedEntry[]): FoldedEntries {
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
  add(entries: readonly OrderedEntry[]): FoldedEntries | undefined {
    const sorted = [...entries].sort(compareEntries)
    const [first] = sorted
    const last = this.last
    if (!first || !last || compareEntries(last, first) <= 0)
      return this.#append(this.#steps, this.#current, sorted)
    return this.#insert(first, sorted)
  }

  #append(steps: readonly Step[], start: Fold, sorted: readonly OrderedEntry[]): FoldedEntries {
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
  #insert(first: OrderedEntry, sorted: readonly OrderedEntry[]): FoldedEntries | undefined {
    if (this.#forgotten && compareEntries(this.#forgotten, first) > 0) return undefined
    const at = this.#steps.findIndex(({ entries }) => isBefore(first, entries.at(-1)))
    const step = this.#steps[at]
    if (!step) return undefined
    const inOrder = [...this.#steps.slice(at).flatMap(({ entries }) => entries), ...sorted].sort(
      compareEntries,
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

function isBefore(first: OrderedEntry, last: OrderedEntry | undefined): boolean {
  return last !== undefined && compareEntries(first, last) < 0
}
