import { isEqual } from '../../core/json/equal.ts'
import { comparePlaces, type EntryPlace, type PlacedEntry } from '../../reading/input/transcript-order.ts'
import type { Session } from '../../reading/session.ts'
import type { Source } from '../../reading/source.ts'
import { type FoldedEntries, foldEntries, joinFolded } from '../fold.ts'

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
 * Folds the entries of several files, as they arrive, into the state that their order by time gives. Files of one session grow at the
 * same time, so a line may arrive after a later line of another file.
 */
export class OrderedFold {
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
   * Adds entries, which are in order. Returns undefined, and adds nothing, if the new entries change the state of the earlier ones:
   * then only the entries of all files give the state.
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
