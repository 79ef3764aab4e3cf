import { omitUndefined } from '../../core/json/fields.ts'
import { compositeKey } from '../../core/json/lists.ts'
import { LawError, type LawErrorFacts, type LawFault, partOf } from './law-error.ts'

/** The most faults that an error lists. */
const MAX_FAULTS = 20

type FoundFault = Omit<LawFault, 'count'> & Omit<LawErrorFacts, 'faults' | 'moreFaults'>

/** The faults of a check, each with the first input that shows it. Most faults show at many inputs. */
export class FaultList {
  readonly #found = new Map<string, { readonly fault: FoundFault; count: number }>()

  add(fault: FoundFault): void {
    const key = compositeKey(fault.code, fault.part)
    const found = this.#found.get(key)
    if (found) found.count += 1
    else this.#found.set(key, { fault, count: 1 })
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
    const faults = [...this.#found.values()].slice(0, MAX_FAULTS).map(({ fault, count }) => {
      const { code, part, index, actual, expected } = fault
      return { code, part, index, count, actual, expected }
    })
    const { code, index, part, ...facts } = first.fault
    throw new LawError(code, index, { ...facts, faults, moreFaults: this.#found.size - faults.length })
  }
}
