import { compositeKey } from '../json/composite-key.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { LawError, type LawErrorFacts, type LawFault, partOf } from './law-error.ts'

/** The most faults that an error lists. */
const MAX_FAULTS = 20

type FoundFault = Omit<LawFault, 'count'> & Omit<LawErrorFacts, 'faults' | 'moreFaults'>

/** The faults of a check, each with the first input that shows it. Most faults show at many inputs. */
export class FaultList {
  readonly #found = new Map<string, FoundFault>()
  readonly #counts = new Map<string, number>()

  add(fault: FoundFault): void {
    const key = compositeKey(fault.code, fault.part)
    if (!this.#found.has(key)) this.#found.set(key, fault)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Does a part of a check. If it throws a `LawError`, the list has the fault, the result is undefined, and the check can go on. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof LawError)) throw error
      const { code, index, actual, expected, cause, place, inserted } = error
      const facts = omitUndefined({ actual, expected, cause, place, inserted })
      this.add({ code, part: partOf(error), index, ...facts })
      return undefined
    }
  }

  /** Throws a `LawError` of the first fault, with a list of all. */
  throwIfAny(): void {
    const [first] = this.#found.values()
    if (!first) return
    const faults = [...this.#found].slice(0, MAX_FAULTS).map(([key, fault]) => {
      const { code, part, index, actual, expected } = fault
      return { code, part, index, count: this.#counts.get(key) ?? 0, actual, expected }
    })
    const { code, index, part, ...facts } = first
    throw new LawError(code, index, { ...facts, faults, moreFaults: this.#found.size - faults.length })
  }
}
